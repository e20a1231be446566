/** Contract of the store: all or nothing, in order, each once. */
import { expect, it } from "vitest";
import { NO_COUNTS } from "../../../emulator/core/jobs/job-counts.ts";
import { StoreClosedError } from "../../../emulator/core/store-error.ts";
import type { Batch, Change } from "../../../emulator/store/batch.ts";
import { BatchRefusedError } from "../../../emulator/store/store.ts";
import {
  ALL_CHUNKS,
  batch,
  bytesAt,
  completed,
  deleted,
  handedOver,
  inline,
  inserted,
  NOW,
  type OpenSubject,
  Owner,
  put,
  textOf,
  textsOf,
  under,
} from "./subject.ts";

export function flushContract(open: OpenSubject): void {
  it("an empty store starts empty", async () => {
    await using subject = await open();
    const { records, recordsVersion: _, ...booted } = await subject.store.boot();
    expect(booted).toEqual({ batch: 0, lastSeq: 0, counts: new Map(), running: [] });
    expect(records.endpoint).toEqual(new Map());
  });

  it("a new owner reads the stored state: number, keys, counters, running jobs and records", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const [waiting, first, second] = [
      owner.newJob(),
      owner.newJob({ endpointId: "b" }),
      owner.newJob(),
    ];
    const record = { id: "k", name: "k", scope: "user", digest: "d", createdAt: "then" } as const;
    await owner.flush([waiting, handedOver(first), handedOver(second)].map(inserted), [
      { type: "put-record", kind: "apiKey", id: "k", record },
    ]);
    owner.nextSeq();
    await owner.flush([{ before: waiting, after: waiting }]);
    const booted = await subject.store.boot();
    expect(booted).toMatchObject({ batch: 2, lastSeq: 4, counts: owner.counts });
    expect(booted.running).toEqual([handedOver(first), handedOver(second)]);
    expect(booted.records.apiKey).toEqual(new Map([["k", record]]));
    expect(booted.records.endpoint).toEqual(new Map());
  });

  it("a batch can be read as soon as it is stored, with rows before changes and changes in order", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const job = owner.newJob();
    const change = (seq: number, text: string) => put({ seq }, "output", inline(text));
    await owner.flush(
      [inserted(job)],
      [
        change(job.seq, "first"),
        { type: "share-payload", ...under(job), slot: "output", toSeq: owner.nextSeq() },
        change(job.seq, "second"),
        { type: "append-chunks", ...under(job), batch: batch(0, "lost") },
        { type: "remove-chunks", ...under(job) },
        { type: "append-chunks", ...under(job), batch: batch(0, "kept") },
        { type: "append-chunks", ...under(job), batch: batch(1, "kept too") },
      ],
    );
    expect(await store.job(job.id)).toStrictEqual(job);
    expect(textOf(await bytesAt(store, job.seq, "output"))).toBe("second");
    expect(textOf(await bytesAt(store, job.seq + 1, "output"))).toBe("first");
    expect(textsOf(await store.chunks(job.seq, ALL_CHUNKS))).toEqual(["kept", "kept too"]);
  });

  it("an invalid batch is refused and leaves no row of any kind behind", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const first = await owner.insert();
    const record = { id: "key", name: "k", scope: "user", digest: "d", createdAt: "then" } as const;
    const delivery = owner.deliveryOf(first);
    await owner.change(
      put(first, "input", inline("kept")),
      { type: "append-chunks", ...under(first), batch: batch(0, "chunk 0") },
      { type: "put-record", kind: "apiKey", id: "key", record },
      delivery.insert,
    );
    const before = await store.boot();
    const running = handedOver(first);
    const another = owner.newJob({ endpointId: "another" });
    const second = owner.deliveryOf(another);
    const changes: readonly Change[] = [
      put(first, "input", inline("lost")),
      put(first, "output", inline("lost")),
      { type: "share-payload", ...under(first), slot: "output", toSeq: second.seq },
      { type: "remove-chunks", ...under(first) },
      { type: "append-chunks", ...under(first), batch: batch(0, "lost") },
      { type: "put-record", kind: "apiKey", id: "key", record: { ...record, digest: "lost" } },
      { type: "replace-delivery", delivery: { ...delivery.stored(), nextTryAt: undefined } },
      second.insert,
      { type: "prune-deliveries", kept: { settledFrom: 0, maxCount: 0, maxBytes: 0 } },
      deleted(another),
      { type: "append-chunks", ...under(first), batch: batch(7, "not the next") },
    ];
    const refused = owner.flush([{ before: first, after: running }, inserted(another)], changes);
    await expect(refused).rejects.toBeInstanceOf(BatchRefusedError);
    expect(await store.boot()).toEqual({ ...before });
    expect(await store.job(first.id)).toEqual(first);
    expect(await store.job(another.id)).toBeUndefined();
    expect(await store.jobsOf("another", 0, 9)).toEqual([]);
    expect(textOf(await bytesAt(store, first.seq, "input"))).toBe("kept");
    expect(await bytesAt(store, first.seq, "output")).toBeUndefined();
    expect(await bytesAt(store, second.seq, "output")).toBeUndefined();
    expect(textsOf(await store.chunks(first.seq, ALL_CHUNKS))).toEqual(["chunk 0"]);
    expect(await store.deliveries.list({}, 9)).toEqual([delivery.stored()]);
    expect(await store.deliveries.due(NOW, 9, [])).toEqual([delivery.stored()]);
    expect(await store.waitingJobs("hello", 0, 9)).toEqual([first]);
    // Its number is free, and the endpoint that it named first can be used.
    await owner.flush([{ before: first, after: running }, inserted(another)]);
    expect((await store.boot()).batch).toBe(before.batch + 1);
    expect(await store.jobsOf("another", 0, 9)).toEqual([another]);
  });

  it.each([
    ["an existing job", (job) => ({ jobs: [inserted(job)] }), "already stored"],
    [
      "a job with an existing id",
      (job) => ({ jobs: [inserted({ ...job, seq: 99 })] }),
      "already stored",
    ],
    [
      "a change of a job with another status",
      (job) => ({ jobs: [{ before: handedOver(job), after: completed(handedOver(job)) }] }),
      "is not stored",
    ],
    [
      "a change of a missing job",
      (job) => ({
        jobs: [{ before: { ...job, seq: 99, id: "x" }, after: { ...job, seq: 99, id: "x" } }],
      }),
      "is not stored",
    ],
    [
      "the deletion of a missing job",
      (job) => ({ changes: [deleted({ ...job, seq: 99, id: "x" })] }),
      "is not stored",
    ],
    [
      "the deletion of a job with another status",
      (job) => ({ changes: [deleted(handedOver(job))] }),
      "is not stored",
    ],
    [
      "a job of an endpoint without counters",
      (job) => ({ jobs: [inserted({ ...job, seq: 99, id: "x" })], counts: new Map() }),
      "lacks the counters",
    ],
  ] satisfies [string, (job: ReturnType<Owner["newJob"]>) => Partial<Batch>, string][])(
    "%s is refused and changes nothing",
    async (_, wrong, message) => {
      await using subject = await open();
      const owner = await Owner.of(subject.store);
      const job = await owner.insert();
      const { jobs = [], changes = [], counts } = wrong(job) as Partial<Batch>;
      const made = owner.batchOf(jobs, changes);
      const refused = subject.store.flush({ ...made, ...(counts && { counts }) });
      await expect(refused).rejects.toThrow(message);
      await expect(refused).rejects.toBeInstanceOf(BatchRefusedError);
      expect(await subject.store.job(job.id)).toEqual(job);
      const counted = new Map([["hello", { ...NO_COUNTS, inQueue: 1 }]]);
      expect(await subject.store.boot()).toMatchObject({ batch: 1, counts: counted });
    },
  );

  it.each([0, 1, 3])("batch %i is refused after batch 1", async (number) => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const job = await owner.insert();
    const made = owner.batchOf([inserted(owner.newJob())]);
    const refused = subject.store.flush({ ...made, number });
    await expect(refused).rejects.toBeInstanceOf(BatchRefusedError);
    expect(await subject.store.waitingJobs("hello", 0, 9)).toEqual([job]);
    await subject.store.flush(made);
    expect((await subject.store.boot()).batch).toBe(2);
  });

  it("an outdated owner stores nothing, and its batch is refused", async () => {
    await using subject = await open();
    const { store } = subject;
    const [first, second] = [await Owner.of(store), await Owner.of(store)];
    const job = await first.insert({ id: "first" });
    await expect(second.insert({ id: "second" })).rejects.toBeInstanceOf(BatchRefusedError);
    expect(await store.waitingJobs("hello", 0, 9)).toEqual([job]);
  });

  it("a batch without changes has a number too", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const record = { id: "k", name: "k", scope: "user", digest: "d", createdAt: "then" } as const;
    const same = { type: "put-record", kind: "apiKey", id: "k", record } as const;
    await owner.change(same);
    await owner.change(same);
    await owner.change();
    await owner.insert();
    expect((await subject.store.boot()).lastSeq).toBe(1);
  });

  it("the highest key never decreases", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    await owner.insertMany({}, {}, {});
    owner.lastSeq = 1;
    await owner.change({ type: "remove-payload", ...under({ seq: 1 }), slot: "input" });
    expect((await subject.store.boot()).lastSeq).toBe(3);
  });

  it("5,000 jobs of one batch are stored in order", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const jobs = await owner.insertMany(...Array.from({ length: 5_000 }, () => ({})));
    expect(await subject.store.waitingJobs("hello", 0, 9_999)).toEqual(jobs);
    expect((await subject.store.boot()).counts.get("hello")?.inQueue).toBe(5_000);
  });

  it("a read during a flush sees the state before or after the batch, never a part of it", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    for (let round = 1; round <= 20; round += 1) {
      const jobs = [{}, {}, {}].map((wish) => inserted(owner.newJob(wish)));
      const flushed = owner.flush(jobs);
      const seen = await store.waitingJobs("hello", 0, 999);
      expect(seen.length % 3).toBe(0);
      await flushed;
      expect(await store.waitingJobs("hello", 0, 999)).toHaveLength(3 * round);
    }
  });

  it("a close answers the calls in progress and refuses later ones", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const flushed = owner.insert();
    const seen = store.nextDueAt();
    const closing = store.close();
    const refused = [
      () => owner.insert(),
      () => store.nextDueAt(),
      () => store.deliveries.oldestSettledAt(),
      () => store.boot(),
      () => store.stage([Buffer.from("x")]),
    ];
    for (const ask of refused) await expect(ask()).rejects.toBeInstanceOf(StoreClosedError);
    expect(await flushed).toMatchObject({ status: "IN_QUEUE" });
    await seen;
    await closing;
    for (const ask of refused) await expect(ask()).rejects.toBeInstanceOf(StoreClosedError);
  });

  it("a second close, also at the same time, is harmless", async () => {
    await using subject = await open();
    const { store } = subject;
    await expect(Promise.all([store.close(), store.close()])).resolves.toHaveLength(2);
    await expect(store.close()).resolves.toBeUndefined();
  });
}
