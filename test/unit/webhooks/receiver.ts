/** A receiver of webhooks like a user's: a real HTTP server that records its calls and gives scripted answers. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Receiver extends AsyncDisposable {
  /** URL with the path `/hook`. */
  readonly url: string;
  readonly received: readonly Received[];
  /** Number of open connections. */
  readonly connections: number;
  /** Number of all connections so far. */
  readonly accepted: number;
}

/**
 * `answer` is called with each whole request; by default it answers 200.
 * @param host its listening address
 */
export async function startReceiver(
  answer: (response: ServerResponse, request: Received) => void = (response) =>
    void response.end("{}"),
  host = "127.0.0.1",
): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  let accepted = 0;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const text = Buffer.concat(pieces).toString();
      received.push({ method, path: url, headers, text });
      answer(response, { method, path: url, headers, text });
    });
  });
  server.on("connection", (socket) => {
    connections += 1;
    accepted += 1;
    socket.on("close", () => (connections -= 1));
  });
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}/hook`,
    received,
    get connections() {
      return connections;
    },
    get accepted() {
      return accepted;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
