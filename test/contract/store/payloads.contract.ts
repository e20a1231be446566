/** Contract of the store: payloads and records. */
import { expect, it } from "vitest";
import { BatchRefusedError } from "../../../emulator/store/store.ts";
import {
  ALL_CHUNKS,
  batch,
  bytesAt,
  deleted,
  inline,
  inserted,
  type OpenSubject,
  Owner,
  pattern,
  put,
  stageOne,
  textOf,
  textsOf,
  usageOf,
  under,
} from "./subject.ts";
import { endpointRecord } from "./endpoint-record.ts";

const SLOTS = ["input", "output", "s3Config"] as const;

export function payloadsContract(open: OpenSubject): void {
  it("each slot of a job has its own bytes, which can be replaced and removed", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const job = owner.newJob();
    const { seq } = job;
    await owner.flush(
      [inserted(job)],
      SLOTS.map((slot) => put({ seq }, slot, inline(`first ${slot}`))),
    );
    const remove = { type: "remove-payload", ...under({ seq }), slot: "s3Config" } as const;
    await owner.change(put({ seq }, "output", inline("second")), remove, remove);
    const texts = await Promise.all(SLOTS.map((slot) => bytesAt(subject.store, seq, slot)));
    expect(texts.map(textOf)).toEqual(["first input", "second", undefined]);
  });

  it.each([0, 1, 999, 100_000, 255_999, 256_000, 1_000_000, 20_000_000])(
    "a payload of %i bytes comes back byte for byte",
    async (sizeBytes) => {
      await using subject = await open();
      const { store } = subject;
      const owner = await Owner.of(store);
      const bytes = pattern(sizeBytes);
      const job = owner.newJob();
      await owner.flush([inserted(job)], [put(job, "input", await stageOne(store, bytes))]);
      const stored = await bytesAt(store, job.seq, "input");
      expect((await store.payload(job.seq, "input"))?.sizeBytes).toBe(sizeBytes);
      expect(stored?.equals(bytes)).toBe(true);
    },
  );

  it.each([0, 1, 255_999, 256_000, 1_000_001])(
    "an open payload of %i bytes is read slice by slice, even if its job is deleted",
    async (sizeBytes) => {
      await using subject = await open();
      const { store } = subject;
      const owner = await Owner.of(store);
      const bytes = pattern(sizeBytes);
      const job = owner.newJob();
      await owner.flush([inserted(job)], [put(job, "output", await stageOne(store, bytes))]);
      const stored = await store.payload(job.seq, "output");
      await using opened = (await stored?.open()) ?? expect.fail("there was an output");
      await owner.change(deleted(job));
      expect(opened.sizeBytes).toBe(sizeBytes);
      const slices: Uint8Array[] = [];
      for await (const slice of opened.slices()) {
        expect(slice.byteLength).toBeLessThanOrEqual(256_000);
        slices.push(Buffer.from(slice));
      }
      expect(bytes.equals(Buffer.concat(slices))).toBe(true);
      expect(await store.payload(job.seq, "output")).toBeUndefined();
    },
  );

  it.each(["deleted", "replaced"])(
    "a large payload that is %s before it is read is missing, not damaged",
    async (fate) => {
      await using subject = await open();
      const { store } = subject;
      const owner = await Owner.of(store);
      const job = owner.newJob();
      const bytes = pattern(400_000);
      await owner.flush([inserted(job)], [put(job, "output", await stageOne(store, bytes))]);
      const stored = await store.payload(job.seq, "output");
      const another = await stageOne(store, bytes);
      await owner.change(fate === "deleted" ? deleted(job) : put(job, "output", another));
      // A read returns the right bytes or nothing: unused files are removed in the background.
      const whole = await stored?.bytes();
      expect(whole === undefined || bytes.equals(whole)).toBe(true);
      await using opened = await stored?.open();
      expect(opened?.sizeBytes ?? bytes.length).toBe(bytes.length);
      const now = await bytesAt(store, job.seq, "output");
      expect(now?.equals(bytes)).toBe(fate === "deleted" ? undefined : true);
    },
  );

  it("bytes that are no text, or look like a file's name, are stored unchanged", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const texts = ["payloads/aa/file", "null"].map((text) => Buffer.from(text));
    for (const bytes of [Buffer.from([0, 255, 0, 128, 10, 13]), ...texts]) {
      const job = owner.newJob();
      await owner.flush([inserted(job)], [put(job, "output", { kind: "inline", bytes })]);
      expect(await bytesAt(subject.store, job.seq, "output")).toEqual(bytes);
    }
  });

  it("the store keeps its own copy of the caller's bytes, and does not change the caller's", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const pool = Buffer.from("before, and the neighbour");
    const job = owner.newJob();
    const bytes = pool.subarray(0, 6);
    const flushed = owner.flush([inserted(job)], [put(job, "input", { kind: "inline", bytes })]);
    expect(pool.toString()).toBe("before, and the neighbour");
    await flushed;
    pool.fill("x");
    expect(textOf(await bytesAt(subject.store, job.seq, "input"))).toBe("before");
  });

  it("a payload file that this store did not stage, or that is already stored, is refused", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const name = "../../etc/passwd";
    const foreign = { kind: "file", name, offset: 0, sizeBytes: 9, checksum: 0 } as const;
    const { seq } = await owner.insert();
    const append = { firstIndex: 0, count: 1, lines: foreign };
    for (const made of [
      put({ seq }, "input", foreign),
      { type: "append-chunks", ...under({ seq }), batch: append } as const,
    ]) {
      const refused = owner.change(put({ seq }, "output", inline("lost")), made);
      await expect(refused).rejects.toThrow("was not staged");
      await expect(refused).rejects.toBeInstanceOf(BatchRefusedError);
    }
    await store.discard(foreign);
    expect(await store.payload(seq, "output")).toBeUndefined();
  });

  it("a payload of a refused batch can be stored by a later batch, and is then not discarded", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const bytes = pattern(2_000_000);
    const payload = await stageOne(store, bytes);
    const job = await owner.insert();
    const refused = owner.flush([inserted(job)], [put(job, "output", payload)]);
    await expect(refused).rejects.toThrow("already stored");
    await owner.change(put(job, "output", payload));
    await store.discard(payload);
    expect((await bytesAt(store, job.seq, "output"))?.equals(bytes)).toBe(true);
  });

  it("deleting a job deletes its own payloads and chunks, and no others", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const input = await stageOne(store, pattern(700_000));
    const lines = await stageOne(store, Buffer.from(`${"x".repeat(700_001)}\n`));
    const jobs = [owner.newJob(), owner.newJob(), owner.newJob()] as const;
    await owner.flush(
      jobs.map(inserted),
      jobs.flatMap(({ seq }) => [
        ...SLOTS.map((slot) => put({ seq }, slot, inline(`${slot} of ${seq}`))),
        { type: "append-chunks", ...under({ seq }), batch: batch(0, "c0", "c1") } as const,
      ]),
    );
    const [, gone] = jobs;
    const more = { firstIndex: 2, count: 1, lines };
    await owner.change(put(gone, "input", input), {
      type: "append-chunks",
      ...under(gone),
      batch: more,
    });
    await owner.change(deleted(gone));
    for (const job of jobs) {
      const { seq } = job;
      for (const slot of SLOTS) {
        const text = textOf(await bytesAt(store, seq, slot));
        expect(text).toBe(job === gone ? undefined : `${slot} of ${seq}`);
      }
      expect(textsOf(await store.chunks(seq, ALL_CHUNKS))).toHaveLength(job === gone ? 0 : 2);
    }
  });

  it("sharing a missing payload keeps the target's own payload", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const [job, other] = await owner.insertMany({}, {});
    if (!job || !other) throw new Error("two jobs were made");
    const share = {
      type: "share-payload",
      ...under(job),
      slot: "input",
      toSeq: other.seq,
    } as const;
    await owner.change(put(other, "input", inline("own")), share);
    expect(textOf(await bytesAt(subject.store, other.seq, "input"))).toBe("own");
    expect(await subject.store.payload(job.seq, "input")).toBeUndefined();
  });

  it("records are kept by kind and id, replaced and deleted; usage records are listed in order of id", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const ids = ["b", "a", "ü", "😀", "\uffff", "__proto__", "B"];
    const putEndpoint = (id: string, version: number) =>
      ({
        type: "put-record",
        kind: "endpoint",
        id,
        record: { ...endpointRecord(id), version },
      }) as const;
    const key = { id: "a", name: "a", scope: "all", digest: "d", createdAt: "now" } as const;
    await owner.change(
      ...ids.map((id) => putEndpoint(id, 1)),
      { type: "put-record", kind: "apiKey", id: "a", record: key },
      { type: "put-record", kind: "account", id: "account", record: { sshKeys: ["ssh-rsa A"] } },
      putEndpoint("a", 2),
      { type: "delete-record", kind: "endpoint", id: "b" },
      { type: "delete-record", kind: "endpoint", id: "never there" },
      ...ids.map((id) => ({ type: "put-record", kind: "usage", id, record: usageOf(id) }) as const),
    );
    const { records } = await subject.store.boot();
    expect(records.endpoint.get("a")).toEqual({ ...endpointRecord("a"), version: 2 });
    expect([...records.endpoint.keys()].toSorted()).toEqual(
      ids.filter((id) => id !== "b").toSorted(),
    );
    expect(records.apiKey).toEqual(new Map([["a", key]]));
    expect(records.account).toEqual(new Map([["account", { sshKeys: ["ssh-rsa A"] }]]));
    expect(records.template).toEqual(new Map());
    const used = (await subject.store.usage()).map(({ id }) => id);
    expect(used).toEqual(["B", "__proto__", "a", "b", "ü", "\uffff", "😀"]);
    const later = await subject.store.usage("\uffff");
    expect(later.map(({ id }) => id)).toEqual(["\uffff", "😀"]);
    const page = await subject.store.usage("a", 2);
    expect(page.map(({ id }) => id)).toEqual(["a", "b"]);
  });
}
