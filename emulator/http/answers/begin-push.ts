/** The head of an answer whose body is pushed as it comes. */
import type { ServerResponse } from "node:http";

/** Sends the head. True if a body has to follow; a HEAD request is answered completely. */
export function beginPush(
  response: ServerResponse,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): boolean {
  response.writeHead(200, {
    "content-type": contentType,
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    ...headers,
  });
  response.flushHeaders();
  if (response.req.method !== "HEAD") return true;
  response.end();
  return false;
}
