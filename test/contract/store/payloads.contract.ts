/** Contract of the store: payloads, chunks and records. */
import { expect, it } from "vitest";
import type { Endpoint } from "../../../emulator/core/endpoint.ts";
import { DEFAULT_RETRY_RULES } from "../../../emulator/core/job.ts";
import type { StoreView } from "../../../emulator/store/store.ts";
import { batch, inline, insertNew, type OpenSubject, pattern, textOf, textsOf } from "./subject.ts";

const SLOTS = ["input", "output", "s3Config"] as const;
const ALL_CHUNKS = { from: 0, maxCount: 1_000_000, maxBytes: Number.MAX_SAFE_INTEGER };

function endpoint(id: string): Endpoint {
  return {
    id,
    name: `Endpoint ${id} ü 鍵`,
    templateId: "template",
    type: "QUEUE",
    computeType: "GPU",
    gpuTypeIds: ["A", "B"],
    gpuCount: 1,
    workersMin: 0,
    workersMax: 3,
    idleTimeout: 5,
    scalerType: "QUEUE_DELAY",
    scalerValue: 4,
    executionTimeoutMs: 600_000,
    requestsPerWorker: 50,
    retries: DEFAULT_RETRY_RULES,
    version: 1,
    createdAt: "2026-01-01T00:00:00.000Z",
  };
}

export function payloadsContract(open: OpenSubject): void {
  it("each slot of a job holds its own bytes, which can be replaced and removed", async () => {
    await using subject = await open();
    const { store } = subject;
    const { seq } = await store.transact(async (tx) => {
      const job = await insertNew(tx);
      for (const slot of SLOTS) await tx.putPayload(job.seq, slot, inline(`first ${slot}`));
      return job;
    });
    await store.transact((tx) => tx.putPayload(seq, "output", inline("second")));
    await store.transact((tx) => tx.removePayload(seq, "s3Config"));
    await store.transact((tx) => tx.removePayload(seq, "s3Config"));
    const read = (view: StoreView) => Promise.all(SLOTS.map((slot) => view.payload(seq, slot)));
    expect((await store.read(read)).map(textOf)).toEqual(["first input", "second", undefined]);
    expect((await store.transact(read)).map(textOf)).toEqual(["first input", "second", undefined]);
  });

  it.each([0, 1, 999, 100_000, 255_999, 256_000, 1_000_000, 20_000_000])(
    "a payload of %i bytes comes back byte for byte",
    async (sizeBytes) => {
      await using subject = await open();
      const { store } = subject;
      const bytes = pattern(sizeBytes);
      const payload = await store.stage(bytes);
      const job = await store.transact(async (tx) => {
        const inserted = await insertNew(tx);
        await tx.putPayload(inserted.seq, "input", payload);
        return inserted;
      });
      const stored = await store.read((view) => view.payload(job.seq, "input"));
      expect(stored?.byteLength).toBe(sizeBytes);
      expect(bytes.equals(stored ?? Buffer.alloc(0))).toBe(true);
    },
  );

  it("bytes that are no text, or look like a file's name, are kept as bytes", async () => {
    await using subject = await open();
    const bodies = [
      Buffer.from([0, 255, 0, 128, 10, 13]),
      Buffer.from("payloads/aa/file"),
      Buffer.from("null"),
    ];
    for (const bytes of bodies) {
      const { seq } = await subject.store.transact(async (tx) => {
        const job = await insertNew(tx);
        await tx.putPayload(job.seq, "output", { kind: "inline", bytes });
        return job;
      });
      const stored = await subject.store.read((view) => view.payload(seq, "output"));
      expect(stored && Buffer.from(stored)).toEqual(bytes);
    }
  });

  it("what is done to the caller's bytes after the transaction does not reach the store", async () => {
    await using subject = await open();
    const bytes = Buffer.from("before");
    const { seq } = await subject.store.transact(async (tx) => {
      const job = await insertNew(tx);
      await tx.putPayload(job.seq, "input", await Promise.resolve({ kind: "inline", bytes }));
      return job;
    });
    bytes.fill("x");
    const stored = await subject.store.read((view) => view.payload(seq, "input"));
    expect(textOf(stored)).toBe("before");
  });

  it("a payload file that this store did not stage, or that is stored already, is refused", async () => {
    await using subject = await open();
    const { store } = subject;
    const foreign = { kind: "file", name: "../../etc/passwd", offset: 0, sizeBytes: 9 } as const;
    const job = await store.transact(insertNew);
    const put = store.transact((tx) => tx.putPayload(job.seq, "input", foreign));
    const append = store.transact((tx) =>
      tx.appendChunks(job.seq, { firstIndex: 0, count: 1, lines: foreign }),
    );
    await expect(put).rejects.toThrow("was not staged");
    await expect(append).rejects.toThrow("was not staged");
    await store.discard(foreign);
  });

  it("a payload whose step threw can be stored by a later step", async () => {
    await using subject = await open();
    const { store } = subject;
    const bytes = pattern(2_000_000);
    const payload = await store.stage(bytes);
    const { seq } = await store.transact(insertNew);
    const refused = store.transact(async (tx) => {
      await tx.putPayload(seq, "output", payload);
      throw new Error("refused");
    });
    await expect(refused).rejects.toThrow("refused");
    await store.transact((tx) => tx.putPayload(seq, "output", payload));
    await store.discard(payload);
    const stored = await store.read((view) => view.payload(seq, "output"));
    expect(bytes.equals(stored ?? Buffer.alloc(0))).toBe(true);
  });

  it("deleting a job deletes its payloads and chunks and nobody else's", async () => {
    await using subject = await open();
    const { store } = subject;
    const input = await store.stage(pattern(700_000));
    const [lines = input] = await store.stageChunks([Buffer.from(`${"x".repeat(700_001)}\n`)]);
    const jobs = await store.transact(async (tx) => {
      const both = [await insertNew(tx), await insertNew(tx), await insertNew(tx)] as const;
      for (const { seq } of both) {
        for (const slot of SLOTS) await tx.putPayload(seq, slot, inline(`${slot} of ${seq}`));
        await tx.appendChunks(seq, batch(0, "c0", "c1"));
      }
      await tx.putPayload(both[1].seq, "input", input);
      await tx.appendChunks(both[1].seq, { firstIndex: 2, count: 1, lines });
      return both;
    });
    await store.transact((tx) => tx.deleteJob(jobs[1]));
    for (const { seq } of jobs) {
      const gone = seq === jobs[1].seq;
      await store.read(async (view) => {
        for (const slot of SLOTS) {
          const text = textOf(await view.payload(seq, slot));
          expect(text).toBe(gone ? undefined : `${slot} of ${seq}`);
        }
        expect(textsOf(await view.chunks(seq, ALL_CHUNKS))).toHaveLength(gone ? 0 : 2);
      });
    }
  });

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

  it("records are kept whole by kind and id, replaced, listed by id and deleted", async () => {
    await using subject = await open();
    const { store } = subject;
    const ids = ["b", "a", "ü", "😀", "\uffff", "__proto__", "B"];
    await store.transact(async (tx) => {
      for (const id of ids) await tx.putRecord("endpoint", id, endpoint(id));
      await tx.putRecord("apiKey", "a", { id: "a", scope: "admin", digest: "d", createdAt: "now" });
      await tx.putRecord("endpoint", "a", { ...endpoint("a"), version: 2 });
      await tx.deleteRecord("endpoint", "b");
      await tx.deleteRecord("endpoint", "never there");
    });
    await store.read(async (view) => {
      expect(await view.record("endpoint", "a")).toEqual({ ...endpoint("a"), version: 2 });
      expect(await view.record("endpoint", "b")).toBeUndefined();
      expect(await view.record("template", "a")).toBeUndefined();
      const listed = (await view.records("endpoint")).map((record) => record.id);
      expect(listed).toEqual(["B", "__proto__", "a", "ü", "\uffff", "😀"]);
      expect(await view.records("apiKey")).toHaveLength(1);
      expect(await view.records("template")).toEqual([]);
    });
  });
}
