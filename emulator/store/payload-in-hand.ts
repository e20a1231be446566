/** Payloads that are already in memory. */
import type { OpenedPayload } from "../core/jobs/opened-payload.ts";
import type { ReadablePayload } from "./payload.ts";

/**
 * Maximum length of a slice of a payload. Shorter slices take longer to read. Longer slices leave more memory behind after many
 * concurrent readers, because an idle service does not collect garbage.
 */
export const SLICE_MAX_BYTES = 65_536;

export function payloadInHand(bytes: Uint8Array): ReadablePayload {
  return {
    sizeBytes: bytes.byteLength,
    bytes: async () => bytes,
    open: async () => openedInHand(bytes),
  };
}

function openedInHand(bytes: Uint8Array): OpenedPayload {
  return {
    sizeBytes: bytes.byteLength,
    slices: () => slicesOf(bytes),
    async [Symbol.asyncDispose]() {},
  };
}

async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.byteLength; at += SLICE_MAX_BYTES) {
    yield bytes.subarray(at, at + SLICE_MAX_BYTES);
  }
}
