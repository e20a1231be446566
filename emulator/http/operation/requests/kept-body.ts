/** Bodies of requests that may have to be passed on after they were read, because what they are about moves. */
import type { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";

/** Of a larger body nothing is kept. */
export const KEPT_MAX_BYTES = 256_000;

interface Kept {
  readonly maxBytes: number;
  body?: Buffer;
}

const kept = new WeakMap<IncomingMessage, Kept>();

/** A mark of the requests whose body is kept. */
export const IS_KEPT = Symbol("the body is kept");

/** From now on its body is kept when it was read, up to that size; it can be read again then. */
export function keepBody(request: IncomingMessage, maxBytes = KEPT_MAX_BYTES): void {
  if (IS_KEPT in request) return;
  kept.set(request, { maxBytes });
  Object.assign(request, { [IS_KEPT]: true });
}

/** The body was read, up to its end or as far as it was wanted. */
export function noteBody(request: IncomingMessage, body: Buffer): void {
  const entry = kept.get(request);
  if (entry !== undefined && body.length <= entry.maxBytes) entry.body = body;
}

/** Undefined if it was not read, or is too large. */
export function keptBody(request: IncomingMessage): Buffer | undefined {
  return kept.get(request)?.body;
}
