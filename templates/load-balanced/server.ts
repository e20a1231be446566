// The endpoint: an HTTP server. The service checks its health at /ping, and passes requests on to it.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { z } from "zod";
import { loadModel, type Model } from "./model.ts";
import { generateRequest } from "./schema.ts";

/** Listen address: 0.0.0.0 in a container; else 127.0.0.1, because only the service checks the key. */
const host = process.env["HOST"] ?? "127.0.0.1";
/** Port for requests. */
const port = Number(process.env["PORT"] ?? "8000");
/** Port for health checks, often the same. */
const healthPort = Number(process.env["PORT_HEALTH"] ?? port);

let model: Model | undefined;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://server");
  if (pathname === "/ping") {
    // 200: ready for requests. 204: the model is still loading.
    response.writeHead(model === undefined ? 204 : 200).end();
  } else if (pathname === "/" && request.method === "GET") {
    sendJson(response, 200, { worker: process.env["SV_WORKER_ID"] ?? "none" });
  } else if (pathname === "/generate" && request.method === "POST") {
    await generate(request, response);
  } else {
    sendJson(response, 404, { error: `there is no ${request.method} ${pathname}` });
  }
}

/** Answers with one server-sent event per token, until all are sent or the client has gone. */
async function generate(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (model === undefined) return sendJson(response, 503, { error: "the model is being loaded" });
  const body: unknown = await json(request).catch(() => undefined);
  const wanted = generateRequest.safeParse(body);
  if (!wanted.success) {
    return sendJson(response, 400, { error: z.prettifyError(wanted.error) });
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  response.writeHead(200, { "content-type": "text/event-stream" });
  for await (const token of model.generate(wanted.data, gone.signal)) {
    const isTaken = response.write(`data: ${JSON.stringify({ token })}\n\n`);
    if (!isTaken) await once(response, "drain", { signal: gone.signal });
  }
  response.end("data: [DONE]\n\n");
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(`${JSON.stringify(value)}\n`);
}

async function start(): Promise<void> {
  const servers = [...new Set([port, healthPort])].map((number) =>
    createServer((request, response) => {
      answer(request, response).catch((error: unknown) => {
        // A client that has gone is no error.
        if (!response.destroyed) console.error(error);
        response.destroy();
      });
    }).listen(number, host),
  );
  // The process ends by itself when all requests are answered.
  process.once("SIGTERM", () => servers.forEach((server) => server.close()));
  model = await loadModel();
}

await start();
