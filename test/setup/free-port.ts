/** A port of this machine that nobody listens on. */
import { once } from "node:events";
import net from "node:net";

/** Nobody else is likely to take it before who asked does. */
export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("it listens on no port");
  return address.port;
}
