/** Batches of chunks on their way to a reader: small ones in memory, large ones opened and read as the reader takes them. */
import { Buffer } from "node:buffer";
import {
  type ChunkBatch,
  chunksOf,
  type ChunkWindow,
  cutBatch,
  LINE_FEED,
} from "../../../runtime/protocol/chunk-batch.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import {
  closePieces,
  type OpenedPayload,
  type ShownPayload,
} from "../../core/jobs/opened-payload.ts";
import { PayloadGoneError, type ReadableBatch } from "../../store/payload.ts";

/** Maximum size of chunks from rows in one answer, unless a single chunk is larger. */
export const IN_HAND_MAX_BYTES = LIMITS.chunkMaxBytes;

/** Maximum size of unused memory kept with chunks; beyond it they are copied. */
const SPARED_MIN_BYTES = 65_536;

export interface ShownBatch extends Omit<ChunkBatch, "lines"> {
  /** Dispose of them if they are opened. */
  readonly lines: ShownPayload;
}

/**
 * The chunks of the batches within the window. Call it within the question that found them, which is repeated if they are gone.
 * A batch in a file is not cut to fit into `maxBytes`: it is returned whole if it is the first one.
 * @throws PayloadGoneError, PayloadDamagedError
 */
export async function showBatches(
  found: readonly ReadableBatch[],
  { from, ...window }: ChunkWindow,
): Promise<readonly ShownBatch[]> {
  let { maxCount, maxBytes } = window;
  let maxInHand: number = Math.min(maxBytes, IN_HAND_MAX_BYTES);
  const shown: ShownBatch[] = [];
  try {
    for (const batch of found) {
      const isInHand = batch.lines instanceof Uint8Array;
      const most = isInHand ? Math.min(maxBytes, maxInHand) : maxBytes;
      if (shown.length > 0 && !isInHand && sizeOfLines(batch) > most) break;
      const cut = await showBatch(batch, { from, maxCount, maxBytes: most });
      if (cut === undefined) continue;
      if (shown.length > 0 && sizeOfLines(cut) > most) {
        await closeBatches([cut]);
        break;
      }
      if (isInHand) maxInHand -= sizeOfLines(cut);
      shown.push(cut);
      maxCount -= cut.count;
      maxBytes -= sizeOfLines(cut);
      if (cut.firstIndex + cut.count < batch.firstIndex + batch.count) break;
    }
    return shown;
  } catch (error) {
    await closeBatches(shown);
    throw error;
  }
}

export function closeBatches(batches: readonly ShownBatch[]): Promise<void> {
  return closePieces(batches.map(({ lines }) => lines));
}

export function countOf(batches: readonly ShownBatch[]): number {
  return batches.reduce((sum, { count }) => sum + count, 0);
}

/** The chunks one by one. Disposes of the lines. */
export async function* chunksShown({
  lines,
  ...batch
}: ShownBatch): AsyncGenerator<Uint8Array, void, undefined> {
  if (lines instanceof Uint8Array) {
    yield* chunksOf({ ...batch, lines });
    return;
  }
  await using opened = lines;
  let begun: Buffer[] = [];
  for await (const slice of opened.slices()) {
    let start = 0;
    for (let end; (end = slice.indexOf(LINE_FEED, start)) >= 0; start = end + 1) {
      yield Buffer.concat([...begun, slice.subarray(start, end)]);
      begun = [];
    }
    if (start < slice.byteLength) begun.push(Buffer.from(slice.subarray(start)));
  }
}

function sizeOfLines({ lines }: ShownBatch | ReadableBatch): number {
  return lines instanceof Uint8Array ? lines.byteLength : lines.sizeBytes;
}

async function showBatch(
  { lines, firstIndex, count }: ReadableBatch,
  window: ChunkWindow,
): Promise<ShownBatch | undefined> {
  if (lines instanceof Uint8Array) {
    const cut = cutBatch({ firstIndex, count, lines }, window);
    return cut && { ...cut, lines: withoutRest(cut.lines) };
  }
  const skipped = Math.max(0, window.from - firstIndex);
  const wanted = Math.min(count - skipped, window.maxCount);
  if (wanted <= 0) return undefined;
  const opened = await lines.open();
  if (opened === undefined) throw new PayloadGoneError("the chunks are not stored any more");
  if (skipped === 0 && wanted === count) return { firstIndex, count, lines: opened };
  const cut = await cutLines(opened, skipped, wanted);
  return { firstIndex: firstIndex + skipped, count: wanted, lines: cut };
}

/** Copies a small part of a large memory block, so that the block is not kept for a slow reader. */
function withoutRest(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength - bytes.byteLength > SPARED_MIN_BYTES
    ? new Uint8Array(bytes)
    : bytes;
}

/** Cuts `count` lines out of the payload, after the skipped ones. */
async function cutLines(
  opened: OpenedPayload,
  skipped: number,
  count: number,
): Promise<OpenedPayload> {
  try {
    const start = await endOfLine(opened, skipped);
    const end = await endOfLine(opened, skipped + count);
    return { ...opened, sizeBytes: end - start, slices: () => rangeOf(opened, start, end) };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

/** End of the first `count` lines. */
async function endOfLine(opened: OpenedPayload, count: number): Promise<number> {
  let at = 0;
  let lines = 0;
  if (count === 0) return 0;
  for await (const slice of opened.slices()) {
    for (let end = -1; (end = slice.indexOf(LINE_FEED, end + 1)) >= 0;) {
      lines += 1;
      if (lines === count) return at + end + 1;
    }
    at += slice.byteLength;
  }
  return at;
}

async function* rangeOf(
  opened: OpenedPayload,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let at = 0;
  for await (const slice of opened.slices()) {
    const range = slice.subarray(Math.max(0, start - at), Math.max(0, end - at));
    if (range.byteLength > 0) yield range;
    at += slice.byteLength;
    if (at >= end) return;
  }
}
