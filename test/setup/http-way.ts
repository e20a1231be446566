/** A proxy between clients and an HTTP server that can answer in the server's place. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface HttpWay extends AsyncDisposable {
  readonly url: string;
  /** Fate of each request: passed on, answered with a status and a body, cut off, or left waiting. */
  fate: "pass" | "cut" | "wait" | { readonly status: number; readonly body: string };
}

export async function startHttpWay(target: string): Promise<HttpWay> {
  const { hostname, port: targetPort } = new URL(target);
  const server = http.createServer((request, response) => {
    const { fate } = way;
    if (fate === "wait") return;
    if (fate === "cut") return void request.socket.destroy();
    if (typeof fate === "object") {
      request.resume();
      response.writeHead(fate.status, { "content-type": "application/xml" }).end(fate.body);
      return;
    }
    const { method, url: path, headers } = request;
    const passed = http.request({ hostname, port: targetPort, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const way: HttpWay = {
    url: `http://127.0.0.1:${port}`,
    fate: "pass",
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return way;
}
