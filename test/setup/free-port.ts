/** A free port of this machine. */
import { once } from "node:events";
import net from "node:net";

/** The port is unlikely to be taken before the caller uses it. */
export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("it listens on no port");
  return address.port;
}
