/** The head of an answer whose body is pushed as it comes. */
import type { ServerResponse } from "node:http";

/** Headers of every pushed answer: nothing of it is used again, and proxies pass it on as it comes. */
export const PUSH_HEADERS = { "cache-control": "no-cache", "x-accel-buffering": "no" } as const;

/** Sends the head. True if a body has to follow; a HEAD request is answered completely. */
export function beginPush(
  response: ServerResponse,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): boolean {
  response.writeHead(200, {
    "content-type": contentType,
    ...PUSH_HEADERS,
    ...headers,
  });
  response.flushHeaders();
  if (response.req.method !== "HEAD") return true;
  response.end();
  return false;
}
