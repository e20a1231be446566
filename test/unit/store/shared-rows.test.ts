/** Chunks in rows: a reader gets no more of them than it requested, and readers at one place share their memory. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { stageOne, under } from "../../contract/store/subject.ts";
import type { ReadableBatch } from "../../../emulator/store/payload.ts";
import { storeOnDisk } from "./on-disk.ts";

const TEXTS = ["a", "b", "c"].map((letter) => letter.repeat(70_000));

/** A stream of one batch in a row for each count. */
async function streamOf(counts: readonly number[]) {
  const disk = await storeOnDisk();
  const { owner, store } = disk;
  const { seq } = await owner.insert();
  let firstIndex = 0;
  for (const count of counts) {
    const lines = await stageOne(store, Buffer.from(`${TEXTS.slice(0, count).join("\n")}\n`));
    expect(lines.kind).toBe("inline");
    const batch = { firstIndex, count, lines };
    await owner.change({ type: "append-chunks", ...under({ seq }), batch });
    firstIndex += count;
  }
  return { disk, store, seq };
}

function linesOf({ lines }: ReadableBatch): Uint8Array {
  if (lines instanceof Uint8Array) return lines;
  throw new Error("a batch of this test lies in a row");
}

it("only the requested part of a large row is kept in memory", async () => {
  const { disk, store, seq } = await streamOf([3]);
  await using _ = disk;
  for (const [from, maxCount, maxBytes, wanted] of [
    [0, 9, 1, TEXTS.slice(0, 1)],
    [1, 1, 1_000_000, TEXTS.slice(1, 2)],
    [1, 9, 150_000, TEXTS.slice(1)],
    [0, 9, 150_000, TEXTS.slice(0, 2)],
  ] as const) {
    const [batch] = await store.chunkBatches(seq, { from, maxCount, maxBytes });
    const lines = batch && linesOf(batch);
    expect(batch).toMatchObject({ firstIndex: from, count: wanted.length });
    expect(Buffer.from(lines ?? []).toString()).toBe(`${wanted.join("\n")}\n`);
    expect(lines?.buffer.byteLength).toBe(lines?.byteLength);
  }
});

it("readers at one place of a stream share its memory, and readers elsewhere get other bytes", async () => {
  const { disk, store, seq } = await streamOf([3]);
  await using _ = disk;
  const window = { maxCount: 1, maxBytes: 1 };
  const read = async (from: number) =>
    (await store.chunkBatches(seq, { from, ...window })).map(linesOf);
  const all = await Promise.all(Array.from({ length: 20 }, () => read(0)));
  const buffers = new Set(all.flat().map(({ buffer }) => buffer));
  expect(buffers.size).toBe(1);
  const [[other]] = [await read(1)];
  expect(Buffer.from(other ?? []).toString()).toBe(`${TEXTS[1]}\n`);
});

it("only as many batches in rows are read as a reader takes into memory", async () => {
  const { disk, store, seq } = await streamOf([2, 2, 2, 2]);
  await using _ = disk;
  const window = { from: 0, maxCount: 100, maxBytes: 8_000_000 };
  expect(await store.chunkBatches(seq, window)).toHaveLength(4);
  expect(await store.chunkBatches(seq, { ...window, maxInHand: 140_003 })).toHaveLength(2);
  expect(await store.chunkBatches(seq, { ...window, maxInHand: 1 })).toHaveLength(1);
});
