/** Finds free ports for servers, never one that another worker has. */
import { once } from "node:events";
import { createServer } from "node:net";

const TRIES = 20;

export class TakenPorts {
  readonly #taken = new Set<number>();

  /** A free port of 127.0.0.1, which stays the caller's until `release`. @throws Error if none is found */
  async take(): Promise<number> {
    for (let tried = 0; tried < TRIES; tried += 1) {
      const port = await freePort();
      if (this.#taken.has(port)) continue;
      this.#taken.add(port);
      return port;
    }
    throw new Error("no free port was found for the worker's server");
  }

  release(ports: readonly number[]): void {
    for (const port of ports) this.#taken.delete(port);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("a port was opened that has no number");
}
