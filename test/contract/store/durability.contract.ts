/** Contract of stores that outlive a restart: what was committed is there when the store is opened again. */
import { expect, it } from "vitest";
import type { Store } from "../../../emulator/store/store.ts";
import {
  completed,
  handedOver,
  inline,
  insertNew,
  pattern,
  textOf,
  type OpenSubject,
  type StoreSubject,
} from "./subject.ts";

function reopen(subject: StoreSubject): Promise<Store> {
  if (subject.reopen === undefined) throw new Error("this adapter cannot be opened again");
  return subject.reopen();
}

const ALL_CHUNKS = { from: 0, maxCount: 99, maxBytes: Number.MAX_SAFE_INTEGER };

export function durabilityContract(open: OpenSubject): void {
  it("jobs, payloads, chunks, counters and records are there after a restart", async () => {
    await using subject = await open();
    const large = pattern(3_000_000);
    const key = { id: "k", scope: "user", digest: "d", createdAt: "then" } as const;
    const staged = await subject.store.stage(large);
    const stagedChunk = await subject.store.stage(large.subarray(0, 900_000));
    const { waiting, done } = await subject.store.transact(async (tx) => {
      const first = await insertNew(tx);
      const second = await insertNew(tx, { lowPriority: true });
      const running = handedOver(first);
      await tx.replaceJob(first, running);
      await tx.replaceJob(running, completed(running));
      await tx.putPayload(first.seq, "output", staged);
      await tx.putPayload(second.seq, "input", inline("{}"));
      await tx.appendChunks(first.seq, 0, [inline("c0"), stagedChunk]);
      await tx.putRecord("apiKey", "k", key);
      return { waiting: second, done: completed(running) };
    });
    const counts = await subject.store.read((view) => view.counts("hello"));
    const store = await reopen(subject);
    await store.read(async (view) => {
      expect(await view.job(done.id)).toStrictEqual(done);
      expect(await view.job(waiting.id)).toStrictEqual(waiting);
      expect(large.equals((await view.payload(done.seq, "output")) ?? Buffer.alloc(0))).toBe(true);
      expect(textOf(await view.payload(waiting.seq, "input"))).toBe("{}");
      const [first, second] = await view.chunks(done.seq, ALL_CHUNKS);
      expect(textOf(first)).toBe("c0");
      expect(second?.byteLength).toBe(900_000);
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
}
