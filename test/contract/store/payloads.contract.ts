/** Contract of the store: payloads and records. */
import { expect, it } from "vitest";
import type { Endpoint } from "../../../emulator/core/resources/endpoint.ts";
import { DEFAULT_RETRY_RULES } from "../../../emulator/core/jobs/job.ts";
import type { StoreView } from "../../../emulator/store/store.ts";
import {
  batch,
  bytesAt,
  inline,
  insertNew,
  type OpenSubject,
  pattern,
  textOf,
  textsOf,
} from "./subject.ts";

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
    const read = (view: StoreView) => Promise.all(SLOTS.map((slot) => bytesAt(view, seq, slot)));
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
      const stored = await store.read((view) => bytesAt(view, job.seq, "input"));
      expect(stored?.byteLength).toBe(sizeBytes);
      expect(bytes.equals(stored ?? Buffer.alloc(0))).toBe(true);
    },
  );

  it.each([0, 1, 255_999, 256_000, 1_000_001])(
    "a payload of %i bytes is read slice by slice, also when its job is gone meanwhile",
    async (sizeBytes) => {
      await using subject = await open();
      const { store } = subject;
      const bytes = pattern(sizeBytes);
      const payload = await store.stage(bytes);
      const job = await store.transact(async (tx) => {
        const inserted = await insertNew(tx);
        await tx.putPayload(inserted.seq, "output", payload);
        return inserted;
      });
      await using opened = await store.read(async (view) => {
        const stored = await view.payload(job.seq, "output");
        expect(stored?.sizeBytes).toBe(sizeBytes);
        await store.transact((tx) => tx.deleteJob(job));
        expect(bytes.equals((await stored?.bytes()) ?? Buffer.from("gone"))).toBe(true);
        return (await stored?.open()) ?? expect.fail("there was an output");
      });
      expect(opened.sizeBytes).toBe(sizeBytes);
      const slices: Uint8Array[] = [];
      for await (const slice of opened.slices()) {
        expect(slice.byteLength).toBeLessThanOrEqual(256_000);
        slices.push(Buffer.from(slice));
      }
      expect(bytes.equals(Buffer.concat(slices))).toBe(true);
      expect(await store.read((view) => bytesAt(view, job.seq, "output"))).toBeUndefined();
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
      const stored = await subject.store.read((view) => bytesAt(view, seq, "output"));
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
    const stored = await subject.store.read((view) => bytesAt(view, seq, "input"));
    expect(textOf(stored)).toBe("before");
  });

  it("a payload file that this store did not stage, or that is stored already, is refused", async () => {
    await using subject = await open();
    const { store } = subject;
    const foreign = {
      kind: "file",
      name: "../../etc/passwd",
      offset: 0,
      sizeBytes: 9,
      checksum: 0,
    } as const;
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
    const stored = await store.read((view) => bytesAt(view, seq, "output"));
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
          const text = textOf(await bytesAt(view, seq, slot));
          expect(text).toBe(gone ? undefined : `${slot} of ${seq}`);
        }
        expect(textsOf(await view.chunks(seq, ALL_CHUNKS))).toHaveLength(gone ? 0 : 2);
      });
    }
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
      const later = (await view.records("endpoint", "\uffff")).map((record) => record.id);
      expect(later).toEqual(["\uffff", "😀"]);
      expect(await view.records("apiKey")).toHaveLength(1);
      expect(await view.records("template")).toEqual([]);
    });
  });
}
