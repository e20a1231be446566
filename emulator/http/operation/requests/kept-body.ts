/** Keeps bodies of requests after they were read, because a request is passed on if its endpoint moves. */
import type { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";

/** Maximum size of a kept body; a larger one is not kept. */
export const KEPT_MAX_BYTES = 256_000;

interface Kept {
  readonly maxBytes: number;
  body?: Buffer;
}

const kept = new WeakMap<IncomingMessage, Kept>();

/** Marks requests with a kept body. */
export const IS_KEPT = Symbol("the body is kept");

/** Keeps the request's body from now on, up to that size; it can then be read again. */
export function keepBody(request: IncomingMessage, maxBytes = KEPT_MAX_BYTES): void {
  if (IS_KEPT in request) return;
  kept.set(request, { maxBytes });
  Object.assign(request, { [IS_KEPT]: true });
}

/** Sets the body after it was read, completely or in part. */
export function noteBody(request: IncomingMessage, body: Buffer): void {
  const entry = kept.get(request);
  if (entry !== undefined && body.length <= entry.maxBytes) entry.body = body;
}

/** The kept body. Undefined if it was not read, or is too large. */
export function keptBody(request: IncomingMessage): Buffer | undefined {
  return kept.get(request)?.body;
}
