/** An HTTP proxy as in companies: it leads every name to one server of this machine, and notes what it is asked for. */
import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";

export interface ForwardProxy extends AsyncDisposable {
  readonly url: string;
  /** Requests as `GET http://name/path` and `CONNECT name:443`. */
  readonly asked: string[];
}

/** @param port of the server */
export async function forwardProxy(port: number): Promise<ForwardProxy> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push(`${method} ${url}`);
    const { pathname, search } = new URL(url);
    const passed = http.request(
      { host: "127.0.0.1", port, method, path: pathname + search, headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  server.on("connect", ({ url = "" }, socket: net.Socket) => {
    asked.push(`CONNECT ${url}`);
    const passed = net.connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(passed).pipe(socket);
    });
    for (const end of [socket, passed])
      end.on("error", () => undefined).on("close", () => (socket.destroy(), passed.destroy()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
