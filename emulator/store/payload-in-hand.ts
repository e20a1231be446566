/** Payloads whose bytes are already in memory. */
import type { ReadablePayload } from "./payload.ts";

/** Slices of payloads are at most this long. */
export const SLICE_MAX_BYTES = 256_000;

export function payloadInHand(bytes: Uint8Array): ReadablePayload {
  const { byteLength: sizeBytes } = bytes;
  return {
    sizeBytes,
    bytes: async () => bytes,
    open: async () => ({
      sizeBytes,
      slices: () => slicesOf(bytes),
      async [Symbol.asyncDispose]() {},
    }),
  };
}

async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.byteLength; at += SLICE_MAX_BYTES) {
    yield bytes.subarray(at, at + SLICE_MAX_BYTES);
  }
}
