/** Cuts a body into parts of one size, in reused memory. */
import { Buffer } from "node:buffer";
import type { Body, StreamBody } from "../object-store.ts";

export interface Part {
  /** Counts from 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
  /** Call it when the bytes are no longer needed: their memory will hold another part. */
  release(): void;
}

/** At least one part, which may be empty; the last one may be shorter than the others. */
export function partsOf(body: Body, partSizeBytes: number): AsyncGenerator<Part, void, undefined> {
  return body.kind === "bytes" ? cut(body.bytes, partSizeBytes) : gather(body, partSizeBytes);
}

async function* cut(
  bytes: Uint8Array,
  partSizeBytes: number,
): AsyncGenerator<Part, void, undefined> {
  const count = Math.max(1, Math.ceil(bytes.byteLength / partSizeBytes));
  for (let at = 0; at < count; at++) {
    const piece = bytes.subarray(at * partSizeBytes, (at + 1) * partSizeBytes);
    yield { number: at + 1, bytes: piece, isLast: at === count - 1, release() {} };
  }
}

/** Reads the stream no faster than parts are released: there is one buffer for each held part. */
async function* gather(
  { stream, sizeBytes }: StreamBody,
  partSizeBytes: number,
): AsyncGenerator<Part, void, undefined> {
  const free: Buffer[] = [];
  let number = 1;
  let buffer: Buffer = Buffer.allocUnsafeSlow(Math.min(sizeBytes ?? partSizeBytes, partSizeBytes));
  let filled = 0;
  const part = (isLast: boolean): Part => {
    const full = buffer;
    const release = (): void => void free.push(full);
    return { number, bytes: full.subarray(0, filled), isLast, release };
  };
  for await (const chunk of stream) {
    let rest = bytesOf(chunk);
    while (rest.byteLength > 0) {
      if (filled === partSizeBytes) {
        yield part(false);
        buffer = free.pop() ?? Buffer.allocUnsafeSlow(partSizeBytes);
        filled = 0;
        number++;
      } else if (filled === buffer.byteLength) {
        // The body is larger than announced, for example a growing file.
        const larger = Buffer.allocUnsafeSlow(partSizeBytes);
        larger.set(buffer);
        buffer = larger;
      }
      const piece = rest.subarray(0, buffer.byteLength - filled);
      buffer.set(piece, filled);
      filled += piece.byteLength;
      rest = rest.subarray(piece.byteLength);
    }
  }
  yield part(true);
}

function bytesOf(chunk: unknown): Uint8Array {
  if (typeof chunk === "string") return Buffer.from(chunk);
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError(
    "A stream to upload must yield text or bytes, and this one yielded something else.",
  );
}
