/** Contract of durable stores: data survives a restart. */
import { expect, it } from "vitest";
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
  pattern,
  put,
  stageOne,
  type StoreSubject,
  textOf,
  textsOf,
  under,
} from "./subject.ts";
import type { Store } from "../../../emulator/store/store.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

function reopen(subject: StoreSubject): Promise<Store> {
  if (subject.reopen === undefined) throw new Error("this adapter cannot be opened again");
  return subject.reopen();
}

export function durabilityContract(open: OpenSubject): void {
  it("jobs, payloads, chunks, counters and records survive a restart", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const large = pattern(3_000_000);
    const record = { id: "k", name: "k", scope: "user", digest: "d", createdAt: "then" } as const;
    const texts = ["x".repeat(900_000), "y".repeat(900_000)];
    const staged = await subject.store.stage(texts.map((text) => Buffer.from(`${text}\n`)));
    const [first, waiting] = await owner.insertMany(
      { traceparent: TRACEPARENT },
      { lowPriority: true, kind: "sync", dialect: "live" },
    );
    if (!first || !waiting) throw new Error("two jobs were made");
    const running = await owner.replace(first, handedOver(first));
    const done = completed(running);
    const append = { type: "append-chunks", ...under(first) } as const;
    await owner.flush(
      [{ before: running, after: done }],
      [
        put(first, "output", await stageOne(subject.store, large)),
        put(waiting, "input", inline("{}")),
        { ...append, batch: batch(0, "c0", "c1") },
        ...staged.map((lines, at) => ({
          ...append,
          batch: { firstIndex: 2 + at, count: 1, lines },
        })),
        { type: "put-record", kind: "apiKey", id: "k", record },
      ],
    );
    const booted = await subject.store.boot();
    const store = await reopen(subject);
    expect(await store.boot()).toEqual(booted);
    expect(booted.counts).toEqual(owner.counts);
    expect(await store.job(done.id)).toStrictEqual(done);
    expect(await store.waitingJobs("hello", 0, 9)).toStrictEqual([waiting]);
    expect((await bytesAt(store, done.seq, "output"))?.equals(large)).toBe(true);
    expect(textOf(await bytesAt(store, waiting.seq, "input"))).toBe("{}");
    expect(textsOf(await store.chunks(done.seq, ALL_CHUNKS))).toEqual(["c0", "c1", ...texts]);
    expect(await store.check()).toEqual([]);
    expect((await bytesAt(store, done.seq, "output"))?.equals(large)).toBe(true);
  });

  it("the owner continues after each restart from its last batch", async () => {
    await using subject = await open();
    let owner = await Owner.of(subject.store);
    for (let turn = 0; turn < 3; turn += 1) {
      await owner.insertMany({}, {});
      const { lastSeq, counts } = owner;
      owner = await Owner.of(await reopen(subject));
      expect(owner).toMatchObject({ lastSeq, counts });
    }
    expect(owner.lastSeq).toBe(6);
  });

  it("a refused batch leaves nothing behind after a restart", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const job = owner.newJob();
    const refused = owner.flush([inserted(job)], [deleted(handedOver(job))]);
    await expect(refused).rejects.toThrow("is not stored");
    const store = await reopen(subject);
    expect(await store.job(job.id)).toBeUndefined();
    expect(await store.boot()).toMatchObject({ batch: 0, counts: new Map() });
  });

  it("deliveries are due after a restart, with the payloads that they share with a deleted job", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const large = pattern(3_000_000);
    const job = owner.newJob({ traceparent: TRACEPARENT });
    const made = owner.deliveryOf(job);
    const share = { type: "share-payload", ...under(job), slot: "input", toSeq: made.seq } as const;
    const input = put(job, "input", await stageOne(subject.store, large));
    await owner.flush([inserted(job)], [input, share, made.insert, deleted(job)]);
    const store = await reopen(subject);
    expect(await store.deliveries.due(NOW, 9, [])).toStrictEqual([made.stored(large.length)]);
    expect((await bytesAt(store, made.seq, "input"))?.equals(large)).toBe(true);
  });
}
