/** Contract of the store: chunks. */
import { expect, it } from "vitest";
import type { Change } from "../../../emulator/store/batch.ts";
import { BatchRefusedError } from "../../../emulator/store/store.ts";
import { PayloadDamagedError, type StagedBatch } from "../../../emulator/store/payload.ts";
import { ALL_CHUNKS, batch, type OpenSubject, Owner, stageOne, textsOf, under } from "./subject.ts";

const append = (seq: number, added: StagedBatch): Change => ({
  type: "append-chunks",
  ...under({ seq }),
  batch: added,
});

export function chunksContract(open: OpenSubject): void {
  it("chunks come in index order from any index, across several batches", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const { seq } = await owner.insert();
    await owner.change(append(seq, batch(0, "0", "1")));
    await owner.change(append(seq, batch(2, "2")), append(seq, batch(3, "3", "4", "5")));
    for (const from of [0, 1, 2, 3, 4, 5, 6]) {
      const batches = await store.chunks(seq, { ...ALL_CHUNKS, from });
      expect(textsOf(batches)).toEqual(["0", "1", "2", "3", "4", "5"].slice(from));
      expect(batches[0]?.firstIndex ?? 6).toBe(from);
    }
    expect(await store.chunks(seq + 1, ALL_CHUNKS)).toEqual([]);
  });

  it("a window of chunks holds at most its count and bytes, but always one chunk", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const { seq } = await owner.insert();
    const lines = await stageOne(store, Buffer.from(`${"x".repeat(900_000)}\n`));
    await owner.change(
      append(seq, batch(0, "aaaa", "", "bb")),
      append(seq, { firstIndex: 3, count: 1, lines }),
      append(seq, batch(4, "c", "d")),
      append(seq, batch(6, "e")),
    );
    const sizes = async (from: number, maxCount: number, maxBytes: number) =>
      textsOf(await store.chunks(seq, { from, maxCount, maxBytes })).map(({ length }) => length);
    // A line feed counts as a byte.
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
    // Chunks of the batch before the window do not count.
    expect(await sizes(5, 9, 4)).toEqual([1, 1]);
    expect(await sizes(0, 0, 999)).toEqual([]);
  });

  it.each([1, 4, 9_999])(
    "a reader that holds %i bytes of batches at a time reads every chunk",
    async (maxInHand) => {
      await using subject = await open();
      const { store } = subject;
      const owner = await Owner.of(store);
      const { seq } = await owner.insert();
      const large = "x".repeat(900_000);
      const lines = await stageOne(store, Buffer.from(`${large}\n`));
      await owner.change(
        append(seq, batch(0, "aaaa", "", "bb")),
        append(seq, { firstIndex: 3, count: 1, lines }),
        append(seq, batch(4, "c", "d")),
        append(seq, batch(6, "e")),
      );
      const texts: string[] = [];
      while (texts.length < 7) {
        const window = { from: texts.length, maxCount: 99, maxBytes: 9_999_999, maxInHand };
        const found = await store.chunkBatches(seq, window);
        expect(found).not.toEqual([]);
        for (const { firstIndex, count, lines: held } of found) {
          const bytes = held instanceof Uint8Array ? held : ((await held.bytes()) ?? Buffer.of());
          const all = textsOf([{ firstIndex, count, lines: bytes }]);
          texts.push(...all.slice(texts.length - firstIndex));
        }
      }
      expect(texts).toEqual(["aaaa", "", "bb", large, "c", "d", "e"]);
    },
  );

  it("chunks that leave a gap or repeat an index are refused and change nothing", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const { seq } = await owner.insert();
    await owner.change(append(seq, batch(0, "0", "1")));
    for (const firstIndex of [0, 1, 3]) {
      const refused = owner.change(append(seq, batch(firstIndex, "bad")));
      await expect(refused).rejects.toThrow(
        `chunk ${firstIndex} of job ${seq} is not the next one`,
      );
      await expect(refused).rejects.toBeInstanceOf(BatchRefusedError);
    }
    expect(textsOf(await subject.store.chunks(seq, ALL_CHUNKS))).toEqual(["0", "1"]);
  });

  it("chunks of a batch that is refused are not kept", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const { seq } = await owner.insert();
    await owner.change(append(seq, batch(0, "0")));
    const lost = [append(seq, batch(1, "lost", "lost")), append(seq, batch(7, "bad"))];
    await expect(owner.change(...lost)).rejects.toThrow("is not the next one");
    await owner.change(append(seq, batch(1, "1")));
    expect(textsOf(await subject.store.chunks(seq, ALL_CHUNKS))).toEqual(["0", "1"]);
  });

  it("removed chunks are gone, and the next attempt starts from index 0", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const { seq } = await owner.insert();
    await owner.change(append(seq, batch(0, "old 0", "old 1")));
    await owner.change(
      { type: "remove-chunks", ...under({ seq }) },
      append(seq, batch(0, "new 0")),
    );
    expect(textsOf(await subject.store.chunks(seq, ALL_CHUNKS))).toEqual(["new 0"]);
  });

  it("removing large chunks while they are read is not reported as damage", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const { seq } = await owner.insert();
    const text = "x".repeat(300_000);
    for (let round = 0; round < 10; round += 1) {
      const lines = await stageOne(store, Buffer.from(`${text}\n`));
      await owner.change(append(seq, { firstIndex: 0, count: 1, lines }));
      const read = store.chunks(seq, ALL_CHUNKS);
      await owner.change(
        { type: "remove-chunks", ...under({ seq }) },
        append(seq, batch(0, "new")),
      );
      expect([[text], ["new"], []]).toContainEqual(textsOf(await read));
      await owner.change({ type: "remove-chunks", ...under({ seq }) });
    }
  });

  it("3,000 chunks of one job stay in order", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const { seq } = await owner.insert();
    const texts = Array.from({ length: 3_000 }, (_, index) => `chunk ${index}`);
    for (let first = 0; first < texts.length; first += 1_000) {
      const parts = [texts.slice(first, first + 300), texts.slice(first + 300, first + 1_000)];
      await owner.change(...parts.map((some, at) => append(seq, batch(first + 300 * at, ...some))));
    }
    expect(textsOf(await subject.store.chunks(seq, ALL_CHUNKS))).toEqual(texts);
  });

  it("each chunk is read once, with 63, 64, 65 or 128 batches after the reader's position", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const { seq } = await owner.insert();
    const texts = Array.from({ length: 140 }, (_, index) => `chunk ${index}`);
    await owner.change(...texts.map((text, index) => append(seq, batch(index, text))));
    for (const left of [63, 64, 65, 128]) {
      const from = texts.length - left;
      const batches = await subject.store.chunks(seq, { ...ALL_CHUNKS, from });
      expect(textsOf(batches)).toEqual(texts.slice(from));
    }
  });

  it("isStillStored is false for chunks that are not stored", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const { seq } = await owner.insert();
    for (const slot of ["chunks"] as const) {
      const damage = new PayloadDamagedError({ seq, slot }, "is damaged", { checksum: 1 });
      expect(await store.isStillStored(damage)).toBe(false);
    }
    const missing = new PayloadDamagedError({ seq, slot: "input" }, "is missing");
    expect(await store.isStillStored(missing)).toBe(true);
  });
}
