/** An HTTP server that serves one file the way a test wants it. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface FileServer extends AsyncDisposable {
  /** URL without a slash at its end. */
  readonly url: string;
  /** The range of each request, in order. */
  readonly asked: { readonly path: string; readonly headers: http.IncomingHttpHeaders }[];
}

export async function fileServer(
  answer: (response: http.ServerResponse, request: http.IncomingMessage, count: number) => void,
  host = "127.0.0.1",
): Promise<FileServer> {
  const asked: FileServer["asked"] = [];
  const server = http.createServer((request, response) => {
    asked.push({ path: request.url ?? "", headers: request.headers });
    answer(response, request, asked.length);
  });
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
