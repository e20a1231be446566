/** Payloads whose bytes are already in memory. */
import type { ReadablePayload } from "./payload.ts";

/**
 * Slices of payloads are at most this long. Shorter ones take longer to read; longer ones leave more memory behind after
 * many readers at once, because nothing collects it while the service is idle.
 */
export const SLICE_MAX_BYTES = 128_000;

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
