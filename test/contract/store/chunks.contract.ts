/** Contract of the store: chunks. */
import { expect, it } from "vitest";
import { batch, inline, insertNew, type OpenSubject, textsOf } from "./subject.ts";

const ALL_CHUNKS = { from: 0, maxCount: 1_000_000, maxBytes: Number.MAX_SAFE_INTEGER };

export function chunksContract(open: OpenSubject): void {
  it("chunks come in index order from any index, across several appends", async () => {
    await using subject = await open();
    const { store } = subject;
    const { seq } = await store.transact(insertNew);
    await store.transact((tx) => tx.appendChunks(seq, batch(0, "0", "1")));
    await store.transact((tx) => tx.appendChunks(seq, batch(2, "2")));
    await store.transact((tx) => tx.appendChunks(seq, batch(3, "3", "4", "5")));
    const from = (index: number) =>
      store.read((view) => view.chunks(seq, { ...ALL_CHUNKS, from: index }));
    for (const index of [0, 1, 2, 3, 4, 5, 6]) {
      const batches = await from(index);
      expect(textsOf(batches)).toEqual(["0", "1", "2", "3", "4", "5"].slice(index));
      expect(batches[0]?.firstIndex ?? 6).toBe(index);
    }
    expect(await store.read((view) => view.chunks(seq + 1, ALL_CHUNKS))).toEqual([]);
  });

  it("a window of chunks holds no more than its count and bytes, but always one chunk", async () => {
    await using subject = await open();
    const { store } = subject;
    const { seq } = await store.transact(insertNew);
    const [lines = inline("")] = await store.stageChunks([Buffer.from(`${"x".repeat(900_000)}\n`)]);
    await store.transact(async (tx) => {
      await tx.appendChunks(seq, batch(0, "aaaa", "", "bb"));
      await tx.appendChunks(seq, { firstIndex: 3, count: 1, lines });
      await tx.appendChunks(seq, batch(4, "c", "d"));
    });
    const sizes = (from: number, maxCount: number, maxBytes: number) =>
      store.read(async (view) => {
        const chunks = await view.chunks(seq, { from, maxCount, maxBytes });
        return textsOf(chunks).map(({ length }) => length);
      });
    // A line feed counts.
    expect(await sizes(0, 9, 9)).toEqual([4, 0, 2]);
    expect(await sizes(0, 9, 8)).toEqual([4, 0]);
    expect(await sizes(0, 1, 999)).toEqual([4]);
    expect(await sizes(0, 9, 1)).toEqual([4]);
    expect(await sizes(1, 9, 4)).toEqual([0, 2]);
    expect(await sizes(1, 1, 999)).toEqual([0]);
    expect(await sizes(2, 9, 900_003)).toEqual([2]);
    expect(await sizes(2, 9, 900_004)).toEqual([2, 900_000]);
    expect(await sizes(3, 9, 1)).toEqual([900_000]);
    expect(await sizes(2, 3, 999_999)).toEqual([2, 900_000, 1]);
    expect(await sizes(5, 9, 1)).toEqual([1]);
    expect(await sizes(0, 0, 999)).toEqual([]);
  });

  it("chunks that leave a gap or repeat an index are refused and change nothing", async () => {
    await using subject = await open();
    const { store } = subject;
    const { seq } = await store.transact(insertNew);
    await store.transact((tx) => tx.appendChunks(seq, batch(0, "0", "1")));
    for (const firstIndex of [0, 1, 3]) {
      const append = store.transact((tx) => tx.appendChunks(seq, batch(firstIndex, "bad")));
      await expect(append).rejects.toThrow(`chunk ${firstIndex} of job ${seq} is not the next one`);
    }
    const chunks = await store.read((view) => view.chunks(seq, ALL_CHUNKS));
    expect(textsOf(chunks)).toEqual(["0", "1"]);
  });

  it("chunks of a step that throws are not kept", async () => {
    await using subject = await open();
    const { store } = subject;
    const { seq } = await store.transact(insertNew);
    await store.transact((tx) => tx.appendChunks(seq, batch(0, "0")));
    const refused = store.transact(async (tx) => {
      await tx.appendChunks(seq, batch(1, "lost", "lost"));
      throw new Error("refused");
    });
    await expect(refused).rejects.toThrow("refused");
    await store.transact((tx) => tx.appendChunks(seq, batch(1, "1")));
    const chunks = await store.read((view) => view.chunks(seq, ALL_CHUNKS));
    expect(textsOf(chunks)).toEqual(["0", "1"]);
  });

  it("removed chunks are gone and the next attempt starts from index 0", async () => {
    await using subject = await open();
    const { store } = subject;
    const { seq } = await store.transact(insertNew);
    await store.transact((tx) => tx.appendChunks(seq, batch(0, "old 0", "old 1")));
    await store.transact(async (tx) => {
      await tx.removeChunks(seq);
      await tx.appendChunks(seq, batch(0, "new 0"));
    });
    const chunks = await store.read((view) => view.chunks(seq, ALL_CHUNKS));
    expect(textsOf(chunks)).toEqual(["new 0"]);
  });

  it("3,000 chunks of one job are kept in order", async () => {
    await using subject = await open();
    const { store } = subject;
    const { seq } = await store.transact(insertNew);
    const texts = Array.from({ length: 3_000 }, (_, index) => `chunk ${index}`);
    for (let first = 0; first < texts.length; first += 1_000) {
      const batches = [texts.slice(first, first + 300), texts.slice(first + 300, first + 1_000)];
      await store.transact(async (tx) => {
        for (const [at, some] of batches.entries()) {
          await tx.appendChunks(seq, batch(first + 300 * at, ...some));
        }
      });
    }
    const chunks = await store.read((view) => view.chunks(seq, ALL_CHUNKS));
    expect(textsOf(chunks)).toEqual(texts);
  });
}
