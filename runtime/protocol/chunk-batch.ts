/** Batches of chunks, in which they are sent and stored: simultaneous chunks are lines of one piece of memory. */
import { asBuffer } from "./wire/wire-fields.ts";

/** Consecutive chunks of one attempt. */
export interface ChunkBatch {
  /** Index of the first chunk. Indexes count from 0 within an attempt, without gaps. */
  readonly firstIndex: number;
  /** Number of chunks, at least one. */
  readonly count: number;
  /** The raw JSON text `{"output": …, "metrics": {…}}` of each chunk, without line breaks, followed by a line feed. */
  readonly lines: Uint8Array;
}

/** The end of each chunk of a batch. JSON has line breaks only between tokens. */
export const LINE_FEED = 0x0a;

/** The chunks' texts without their line feeds, in the memory of `lines`. */
export function chunksOf({ lines, count }: ChunkBatch): Uint8Array[] {
  const bytes = asBuffer(lines);
  const chunks: Uint8Array[] = [];
  for (let start = 0; chunks.length < count;) {
    const end = bytes.indexOf(LINE_FEED, start);
    chunks.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return chunks;
}

/** The bounds of one read. */
export interface ChunkWindow {
  /** Index of the first chunk wanted. */
  readonly from: number;
  /** Maximum number and bytes of the chunks. The first chunk may have any size. */
  readonly maxCount: number;
  readonly maxBytes: number;
}

/** The part of the batch within the window, in the same memory; undefined if there is none. */
export function cutBatch(batch: ChunkBatch, window: ChunkWindow): ChunkBatch | undefined {
  const { firstIndex, count, lines } = batch;
  const skipped = Math.max(0, window.from - firstIndex);
  const wanted = Math.min(count - skipped, window.maxCount);
  if (wanted <= 0) return undefined;
  if (skipped === 0 && wanted === count && lines.byteLength <= window.maxBytes) return batch;
  const bytes = asBuffer(lines);
  let start = 0;
  for (let line = 0; line < skipped; line += 1) start = bytes.indexOf(LINE_FEED, start) + 1;
  let taken = 0;
  let end = start;
  while (taken < wanted) {
    const next = bytes.indexOf(LINE_FEED, end) + 1;
    if (taken > 0 && next - start > window.maxBytes) break;
    end = next;
    taken += 1;
  }
  return { firstIndex: firstIndex + skipped, count: taken, lines: bytes.subarray(start, end) };
}
