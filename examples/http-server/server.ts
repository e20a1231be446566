// An endpoint that is an HTTP server of its own: JSON, server-sent events, uploads and a WebSocket.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { acceptEcho } from "./echo.ts";

const startedAt = new Date().toISOString();

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(asError(error)));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://server");
  switch (pathname) {
    case "/ping":
      // 200: send me requests. 204 would mean: not yet, the model is still being loaded.
      response.end();
      return;
    case "/":
      sendJson(response, { worker: process.env["SV_WORKER_ID"], startedAt });
      return;
    case "/count":
      return count(response, Number(searchParams.get("to") ?? "5"));
    case "/size":
      sendJson(response, { bytes: await sizeOf(request) });
      return;
    default:
      sendJson(response, { error: `there is nothing at ${pathname}` }, 404);
  }
}

function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(`${JSON.stringify(value)}\n`);
}

/** Server-sent events, ten a second, until the client has had enough. */
async function count(response: ServerResponse, to: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let number = 1; number <= to && !response.destroyed; number += 1) {
    response.write(`data: ${number}\n\n`);
    await delay(100);
  }
  response.end();
}

/** The bytes of an upload, counted as they come. */
async function sizeOf(request: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of request) bytes += Buffer.byteLength(chunk as Buffer);
  return bytes;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

server.on("upgrade", acceptEcho);
// The service says where to listen, and ends us with SIGTERM when all requests are answered. It asks callers for the key, so
// nobody else is to reach us: HOST is 127.0.0.1 on a machine that others reach, and 0.0.0.0 in a container of our own.
server.listen(Number(process.env["PORT"] ?? "8000"), process.env["HOST"] ?? "127.0.0.1");
process.once("SIGTERM", () => server.close(() => process.exit(0)));
