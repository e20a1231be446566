/** Cuts stored batches down to the window a reader asked for; the same for every adapter. */
import { type ChunkBatch, type ChunkWindow, cutBatch } from "../../runtime/protocol/chunk-batch.ts";

/** @param batches those that may lie in the window, in index order, without gaps */
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
    // What was left of it did not fit.
    if (cut.firstIndex + cut.count < batch.firstIndex + batch.count) break;
  }
  return selected;
}
