/** A scripted receiver of webhooks that records its calls. */
import { createServer } from "node:http";
import { once } from "node:events";
import { json } from "node:stream/consumers";

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly bodies: readonly unknown[];
}

/** @param statuses its answers in turn; the last one is repeated */
export async function startReceiver(statuses: readonly number[]): Promise<Receiver> {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    const status = statuses[bodies.length] ?? statuses.at(-1) ?? 200;
    void json(request).then((body) => {
      bodies.push(body);
      response.writeHead(status).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
