/** Chunks of a batch in a file, taken from it and read in slices. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import {
  chunksShown,
  countOf,
  showBatches,
} from "../../../../emulator/engine/streams/shown-batches.ts";
import type { ReadablePayload } from "../../../../emulator/store/payload.ts";

/** Slices share one buffer, like those of files. */
function inFile(text: string, sliceBytes: number): ReadablePayload {
  const bytes = Buffer.from(text);
  const sizeBytes = bytes.byteLength;
  async function* slices() {
    const shared = Buffer.alloc(sliceBytes);
    for (let at = 0; at < sizeBytes; at += sliceBytes)
      yield shared.subarray(0, bytes.copy(shared, 0, at, at + sliceBytes));
  }
  const opened = { sizeBytes, slices, async [Symbol.asyncDispose]() {} };
  return { sizeBytes, bytes: async () => bytes, open: async () => opened };
}

it.each([1, 2, 3, 7, 1_000])(
  "a reader gets exactly the whole chunks of its window, from slices of %i bytes",
  async (sliceBytes) => {
    const all = ["{}", '{"output":1}', "[]", '{"output":"a long one"}', "3"];
    const lines = inFile(all.map((chunk) => `${chunk}\n`).join(""), sliceBytes);
    const batch = { firstIndex: 10, count: all.length, lines };
    for (let from = 8; from <= 15; from += 1)
      for (let maxCount = 1; maxCount <= 6; maxCount += 1) {
        const shown = await showBatches([batch], { from, maxCount, maxBytes: 1_000 });
        const expected = all.slice(Math.max(0, from - 10)).slice(0, maxCount);
        expect(countOf(shown)).toBe(expected.length);
        const chunks: string[] = [];
        for (const each of shown)
          for await (const chunk of chunksShown(each)) chunks.push(Buffer.from(chunk).toString());
        expect(chunks).toEqual(expected);
      }
  },
);
