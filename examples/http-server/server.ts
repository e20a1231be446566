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
      // 200: ready for requests. 204 would mean that the model is still being loaded.
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

/** Sends ten server-sent events a second until the client goes away. */
async function count(response: ServerResponse, to: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let number = 1; number <= to && !response.destroyed; number += 1) {
    response.write(`data: ${number}\n\n`);
    await delay(100);
  }
  response.end();
}

/** Counts the bytes of an upload as they arrive. */
async function sizeOf(request: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of request) bytes += Buffer.byteLength(chunk as Buffer);
  return bytes;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

server.on("upgrade", acceptEcho);
// The service sets the address, and ends the server with SIGTERM when all requests are answered. Only the service checks the
// key, so no other caller may reach the server: HOST is 127.0.0.1, and 0.0.0.0 only in a container.
server.listen(Number(process.env["PORT"] ?? "8000"), process.env["HOST"] ?? "127.0.0.1");
process.once("SIGTERM", () => server.close(() => process.exit(0)));
