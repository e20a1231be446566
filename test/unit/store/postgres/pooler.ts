/** The relevant behaviour of PgBouncer: it identifies its own connection, or accepts no settings with one. */
import { once } from "node:events";
import net from "node:net";

/** Message with which a server identifies a connection: its process and a secret. */
const KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12]);
const REFUSAL = "unsupported startup parameter: options";

/** @param serverPort port of the server behind it; undefined: it refuses the settings of every connection */
export async function startPooler(serverPort: number | undefined) {
  const sockets = new Set<net.Socket>();
  const keep = (socket: net.Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
  };
  const server = net.createServer((client) => {
    keep(client);
    if (serverPort === undefined) {
      client.once("data", () => client.end(refusal()));
      return;
    }
    const behind = net.connect(serverPort, "127.0.0.1");
    keep(behind);
    client.pipe(behind);
    behind.on("data", (bytes) => {
      const at = bytes.indexOf(KEY_DATA);
      if (at >= 0) bytes.writeInt32BE(1, at + KEY_DATA.length);
      client.write(bytes);
    });
    client.on("close", () => behind.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function refusal(): Buffer {
  const fields = ["SFATAL", "VFATAL", "C08P01", `M${REFUSAL}`].map((field) => `${field}\0`);
  const body = Buffer.from(`${fields.join("")}\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
