/**
 * Large memory that is given back to the system at once. Garbage is collected late where most of what takes memory is no object of
 * the heap, and blocks of some MB that an allocator has back it keeps in pieces.
 */
import { Buffer } from "node:buffer";

/** The allocator of glibc maps such blocks by themselves whatever it saw before; what is not written to takes no memory. */
const MAPPED_MIN_BYTES = 33_554_432;

const mapped = new WeakSet<ArrayBufferLike>();

/** Not filled. */
export function largeMemory(sizeBytes: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(Math.max(sizeBytes, MAPPED_MIN_BYTES));
  mapped.add(whole.buffer);
  return whole.subarray(0, sizeBytes);
}

/** Nothing may look at memory of `largeMemory` any more, which then has no length. Any other memory is left to be collected. */
export function freeMemory({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && mapped.has(buffer)) buffer.transfer(0);
}

/**
 * Frees the memory of bytes that have it alone, but for `frameBytes` that nobody needs. Nothing may look at them any more, which then
 * have no length.
 */
export function freeAlone({ buffer, byteLength }: Uint8Array, frameBytes = 0): void {
  const isAlone = buffer.byteLength <= byteLength + frameBytes;
  if (buffer instanceof ArrayBuffer && isAlone) buffer.transfer(0);
}
