/** Batches of chunks are cut at any chunk, and return what was put in. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type ChunkBatch, chunksOf, cutBatch } from "../../../../runtime/protocol/chunk-batch.ts";

const texts = fc.array(
  fc.string({ unit: "grapheme", maxLength: 9 }).map((text) => JSON.stringify(text)),
  {
    minLength: 1,
    maxLength: 12,
  },
);

function batchOf(firstIndex: number, chunks: readonly string[]): ChunkBatch {
  const lines = Buffer.from(chunks.map((text) => `${text}\n`).join(""));
  return { firstIndex, count: chunks.length, lines };
}

function textsIn(batch: ChunkBatch | undefined): string[] {
  return batch === undefined ? [] : chunksOf(batch).map((chunk) => Buffer.from(chunk).toString());
}

it("a batch returns its chunks", () => {
  fc.assert(
    fc.property(texts, fc.nat(99), (chunks, firstIndex) => {
      const batch = batchOf(firstIndex, chunks);
      expect(textsIn(batch)).toEqual(chunks);
    }),
  );
});

it("a window takes chunks from its index on, at most what it allows and at least one", () => {
  const window = fc.record({
    from: fc.nat(24),
    maxCount: fc.integer({ min: 1, max: 14 }),
    maxBytes: fc.nat(99),
  });
  fc.assert(
    fc.property(texts, fc.nat(12), window, (chunks, firstIndex, wanted) => {
      const batch = batchOf(firstIndex, chunks);
      const cut = cutBatch(batch, wanted);
      const from = Math.max(0, wanted.from - firstIndex);
      const expected: string[] = [];
      let bytes = 0;
      for (const text of chunks.slice(from, from + wanted.maxCount)) {
        bytes += Buffer.byteLength(text) + 1;
        if (expected.length > 0 && bytes > wanted.maxBytes) break;
        expected.push(text);
      }
      expect(textsIn(cut)).toEqual(expected);
      expect(cut?.firstIndex).toBe(expected.length === 0 ? undefined : firstIndex + from);
      if (cut) expect(cut.lines.buffer).toBe(batch.lines.buffer);
    }),
  );
});
