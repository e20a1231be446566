/**
 * Large memory that can be returned to the system at once. The garbage collector frees memory outside of the heap late, and an
 * allocator keeps freed blocks of some MB.
 */
import { Buffer } from "node:buffer";

/** Size from which glibc's allocator always maps a block of its own. Memory that is not written to takes no room. */
const MAPPED_MIN_BYTES = 33_554_432;

const mapped = new WeakSet<ArrayBufferLike>();

/** The memory is not cleared. */
export function largeMemory(sizeBytes: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(Math.max(sizeBytes, MAPPED_MIN_BYTES));
  mapped.add(whole.buffer);
  return whole.subarray(0, sizeBytes);
}

/** Frees memory of `largeMemory`; every view of it is empty afterwards. Other memory is left to the garbage collector. */
export function freeMemory({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && mapped.has(buffer)) buffer.transfer(0);
}

/**
 * Frees a buffer that holds only these bytes and at most `frameBytes` that are not needed. Every view of it is empty
 * afterwards.
 */
export function freeAlone({ buffer, byteLength }: Uint8Array, frameBytes = 0): void {
  const isAlone = buffer.byteLength <= byteLength + frameBytes;
  if (buffer instanceof ArrayBuffer && isAlone) buffer.transfer(0);
}
