/** How chunks travel and are kept: as many as come together in one piece of memory, a line each. */
import { asBuffer } from "./wire/wire-fields.ts";

/** Consecutive chunks of one attempt. */
export interface ChunkBatch {
  /** Index of the first of them; counts from 0 within an attempt, without gaps. */
  readonly firstIndex: number;
  /** How many they are, at least one. */
  readonly count: number;
  /** The raw JSON text `{"output": …, "metrics": {…}}` of each without line breaks in it, followed by a line feed. */
  readonly lines: Uint8Array;
}

/** The end of each chunk of a batch. In JSON, line breaks stand only between tokens. */
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

/** What a reader takes at a time. */
export interface ChunkWindow {
  /** Index of the first chunk wanted. */
  readonly from: number;
  /** At most this many chunks, and no more than fit in `maxBytes`; a first chunk is given whatever its size. */
  readonly maxCount: number;
  readonly maxBytes: number;
}

/** The part of the batch that lies in the window, in the same memory; undefined if none does. */
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
