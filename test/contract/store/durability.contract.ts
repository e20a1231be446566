/** Contract of stores that outlive a restart: what was committed is there when the store is opened again. */
import { expect, it } from "vitest";
import { deliveryFrame, newDelivery } from "../../../emulator/core/webhooks/delivery.ts";
import type { Store } from "../../../emulator/store/store.ts";
import {
  batch,
  bytesAt,
  completed,
  handedOver,
  inline,
  insertNew,
  NOW,
  type OpenSubject,
  pattern,
  type StoreSubject,
  textOf,
  textsOf,
} from "./subject.ts";

function reopen(subject: StoreSubject): Promise<Store> {
  if (subject.reopen === undefined) throw new Error("this adapter cannot be opened again");
  return subject.reopen();
}

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const ALL_CHUNKS = { from: 0, maxCount: 99, maxBytes: Number.MAX_SAFE_INTEGER };

export function durabilityContract(open: OpenSubject): void {
  it("jobs, payloads, chunks, counters and records are there after a restart", async () => {
    await using subject = await open();
    const large = pattern(3_000_000);
    const key = { id: "k", scope: "user", digest: "d", createdAt: "then" } as const;
    const staged = await subject.store.stage(large);
    const texts = ["x".repeat(900_000), "y".repeat(900_000)];
    const stagedLines = await subject.store.stageChunks(
      texts.map((text) => Buffer.from(`${text}\n`)),
    );
    const { waiting, done } = await subject.store.transact(async (tx) => {
      const first = await insertNew(tx, { traceparent: TRACEPARENT });
      const second = await insertNew(tx, { lowPriority: true, kind: "sync", dialect: "live" });
      const running = handedOver(first);
      await tx.replaceJob(first, running);
      await tx.replaceJob(running, completed(running));
      await tx.putPayload(first.seq, "output", staged);
      await tx.putPayload(second.seq, "input", inline("{}"));
      await tx.appendChunks(first.seq, batch(0, "c0", "c1"));
      for (const [at, lines] of stagedLines.entries()) {
        await tx.appendChunks(first.seq, { firstIndex: 2 + at, count: 1, lines });
      }
      await tx.putRecord("apiKey", "k", key);
      return { waiting: second, done: completed(running) };
    });
    const counts = await subject.store.read((view) => view.counts("hello"));
    const store = await reopen(subject);
    await store.read(async (view) => {
      expect(await view.job(done.id)).toStrictEqual(done);
      expect(await view.job(waiting.id)).toStrictEqual(waiting);
      expect(large.equals((await bytesAt(view, done.seq, "output")) ?? Buffer.alloc(0))).toBe(true);
      expect(textOf(await bytesAt(view, waiting.seq, "input"))).toBe("{}");
      expect(textsOf(await view.chunks(done.seq, ALL_CHUNKS))).toEqual(["c0", "c1", ...texts]);
      expect(await view.counts("hello")).toEqual(counts);
      expect(counts).toMatchObject({ inQueue: 1, completed: 1 });
      expect(await view.record("apiKey", "k")).toEqual(key);
    });
    const queue = await store.transact((tx) => tx.waitingJobs("hello", 9));
    expect(queue).toEqual([waiting]);
  });

  it("keys given after a restart are higher than all given before, used or not", async () => {
    await using subject = await open();
    let highest = 0;
    for (let turn = 0; turn < 3; turn += 1) {
      const store = turn === 0 ? subject.store : await reopen(subject);
      await store.transact(async (tx) => {
        const next = await tx.nextSeq();
        expect(next).toBeGreaterThan(highest);
        for (let count = 0; count < 2_500; count += 1) highest = await tx.nextSeq();
      });
      const refused = store.transact(async (tx) => {
        highest = await tx.nextSeq();
        throw new Error("refused");
      });
      await expect(refused).rejects.toThrow("refused");
    }
  });

  it("what a refused step did is not there after a restart", async () => {
    await using subject = await open();
    const refused = subject.store.transact(async (tx) => {
      await insertNew(tx, { id: "refused" });
      throw new Error("no");
    });
    await expect(refused).rejects.toThrow("no");
    const store = await reopen(subject);
    expect(await store.read((view) => view.job("refused"))).toBeUndefined();
  });

  it("deliveries are due after a restart, with the payloads they share with a job that is gone", async () => {
    await using subject = await open();
    const large = pattern(3_000_000);
    const staged = await subject.store.stage(large);
    const delivery = await subject.store.transact(async (tx) => {
      const submitted = await insertNew(tx, { traceparent: TRACEPARENT });
      const job = { ...submitted, webhook: "https://one.test/" };
      await tx.putPayload(job.seq, "input", staged);
      const seq = await tx.nextSeq();
      const sizeBytes = await tx.sharePayload(job.seq, "input", seq);
      const made = newDelivery(job, { seq, sizeBytes, isFirst: true }, NOW);
      await tx.deliveries.insert(made, deliveryFrame(job));
      await tx.deleteJob(job);
      return made;
    });
    const store = await reopen(subject);
    await store.read(async (view) => {
      expect(await view.deliveries.due(NOW, 9, [])).toStrictEqual([delivery]);
      expect(large.equals((await bytesAt(view, delivery.seq, "input")) ?? Buffer.alloc(0))).toBe(
        true,
      );
    });
  });
}
