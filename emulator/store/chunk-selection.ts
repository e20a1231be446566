/** Cuts stored batches to the window of a reader, for every adapter. */
import { type ChunkBatch, type ChunkWindow, cutBatch } from "../../runtime/protocol/chunk-batch.ts";

/** @param batches batches with all chunks of the window, in order, without gaps */
export function selectChunks(batches: Iterable<ChunkBatch>, window: ChunkWindow): ChunkBatch[] {
  const selected: ChunkBatch[] = [];
  let { maxCount, maxBytes } = window;
  for (const batch of batches) {
    const cut = cutBatch(batch, { from: window.from, maxCount, maxBytes });
    if (cut === undefined) continue;
    if (selected.length > 0 && cut.lines.byteLength > maxBytes) break;
    selected.push(cut);
    maxCount -= cut.count;
    maxBytes -= cut.lines.byteLength;
    // The rest of the batch did not fit.
    if (cut.firstIndex + cut.count < batch.firstIndex + batch.count) break;
  }
  return selected;
}
