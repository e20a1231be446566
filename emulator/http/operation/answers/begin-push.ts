/** The head of an answer with a body that is pushed as it is produced. */
import type { ServerResponse } from "node:http";

/** Headers of every pushed answer: it must not be cached, and proxies pass it on at once. */
export const PUSH_HEADERS = { "cache-control": "no-cache", "x-accel-buffering": "no" } as const;

/** Sends the head. Returns true if a body has to follow; a HEAD request is answered completely. */
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
