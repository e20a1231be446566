/** Contract of the store: steps one after another, all or nothing, one commit for what arrived together. */
import { expect, it } from "vitest";
import { NO_COUNTS } from "../../../emulator/core/jobs/job-counts.ts";
import { type StoreTransaction } from "../../../emulator/store/store.ts";
import { StoreClosedError } from "../../../emulator/core/store-error.ts";
import {
  batch,
  bytesAt,
  completed,
  handedOver,
  inline,
  insertNew,
  newJob,
  type OpenSubject,
  textOf,
  textsOf,
} from "./subject.ts";

/** Lets every microtask run, and steps that do not wait for a turn of the event loop with them. */
const microtasks = () => new Promise<void>((resolve) => process.nextTick(resolve));

export function transactionsContract(open: OpenSubject): void {
  it("a transaction resolves with the value of its step", async () => {
    await using subject = await open();
    expect(await subject.store.transact(async () => "value")).toBe("value");
  });

  it("steps run in the order they were asked for, each to its end before the next", async () => {
    await using subject = await open();
    const log: string[] = [];
    const step = (name: string) => async (tx: StoreTransaction) => {
      log.push(`${name} begins`);
      await tx.nextSeq();
      await tx.counts("hello");
      log.push(`${name} ends`);
    };
    await Promise.all(["a", "b", "c"].map((name) => subject.store.transact(step(name))));
    expect(log).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  it("a step does not run before the turn of the event loop in which it was asked for has ended", async () => {
    await using subject = await open();
    let ran = false;
    const pending = subject.store.transact(async () => {
      ran = true;
    });
    await microtasks();
    expect(ran).toBe(false);
    await pending;
    expect(ran).toBe(true);
  });

  it("a step sees what earlier steps of the same turn did, and its own work", async () => {
    await using subject = await open();
    const inserted = subject.store.transact(insertNew);
    const seen = subject.store.transact(async (tx) => {
      const [job] = await tx.waitingJobs("hello", 1);
      if (job === undefined) return undefined;
      await tx.replaceJob(job, handedOver(job));
      return { status: (await tx.job(job.id))?.status, counts: await tx.counts("hello") };
    });
    await inserted;
    expect(await seen).toEqual({ status: "IN_PROGRESS", counts: { ...NO_COUNTS, inProgress: 1 } });
  });

  it("what a read sees is committed: nothing of a step or a turn that is not finished", async () => {
    await using subject = await open();
    const { store } = subject;
    const seenWithin: (number | undefined)[] = [];
    const look = async () => {
      seenWithin.push(await store.read(async (view) => (await view.counts("hello")).inQueue));
    };
    const looks: Promise<void>[] = [];
    const steps = [1, 2, 3].map(() =>
      store.transact(async (tx) => {
        await insertNew(tx);
        looks.push(look());
        await tx.counts("hello");
      }),
    );
    await Promise.all(steps);
    await Promise.all(looks);
    expect(seenWithin).toEqual([3, 3, 3]);
  });

  it("a job is read as soon as its transaction has resolved", async () => {
    await using subject = await open();
    const job = await subject.store.transact(insertNew);
    expect(await subject.store.read((view) => view.job(job.id))).toEqual(job);
  });

  it("a step that throws rejects alone and leaves nothing of any kind behind", async () => {
    await using subject = await open();
    const { store } = subject;
    const { first, template } = await store.transact(async (tx) => {
      const job = await insertNew(tx);
      await tx.putPayload(job.seq, "input", inline("kept"));
      await tx.appendChunks(job.seq, batch(0, "chunk 0"));
      const record = { id: "key", scope: "user", digest: "d", createdAt: "then" } as const;
      await tx.putRecord("apiKey", "key", record);
      return { first: job, template: record };
    });
    const good = store.transact(insertNew);
    const bad = store.transact(async (tx) => {
      const running = handedOver(first);
      await tx.replaceJob(first, running);
      await tx.replaceJob(running, completed(running));
      await tx.putPayload(first.seq, "input", inline("lost"));
      await tx.putPayload(first.seq, "output", inline("lost"));
      await tx.removeChunks(first.seq);
      await tx.appendChunks(first.seq, batch(0, "lost"));
      await insertNew(tx, { endpointId: "another" });
      await tx.putRecord("apiKey", "key", { ...template, digest: "lost" });
      await tx.deleteJob(completed(running));
      throw new Error("the step was refused");
    });
    const better = store.transact(insertNew);
    await expect(bad).rejects.toThrow("the step was refused");
    await Promise.all([good, better]);
    await store.read(async (view) => {
      expect(await view.job(first.id)).toEqual(first);
      expect(await view.counts("hello")).toEqual({ ...NO_COUNTS, inQueue: 3 });
      expect(await view.counts("another")).toEqual(NO_COUNTS);
      expect(textOf(await bytesAt(view, first.seq, "input"))).toBe("kept");
      expect(await bytesAt(view, first.seq, "output")).toBeUndefined();
      const chunks = await view.chunks(first.seq, { from: 0, maxCount: 9, maxBytes: 999 });
      expect(textsOf(chunks)).toEqual(["chunk 0"]);
      expect(await view.record("apiKey", "key")).toEqual(template);
    });
    await store.transact(async (tx) => {
      expect(await tx.waitingJobs("hello", 9)).toHaveLength(3);
      expect(await tx.jobsOf("another", 9)).toEqual([]);
      expect(await tx.runningJobs({})).toEqual([]);
    });
  });

  it("a step that throws is answered after the commit, for its reason may be what others of the turn did", async () => {
    await using subject = await open();
    const log: string[] = [];
    const refused = subject.store.transact(async () => {
      throw new Error("refused");
    });
    const rejected = refused.catch(() => void log.push("the first is rejected"));
    const kept = subject.store.transact(async (tx) => {
      for (let turn = 0; turn < 20; turn += 1) await tx.nextDueAt();
      log.push("the second ran");
    });
    await Promise.all([rejected, kept]);
    expect(log).toEqual(["the second ran", "the first is rejected"]);
  });

  it("an endpoint first seen by a step that throws can be used by the next step", async () => {
    await using subject = await open();
    const bad = subject.store.transact(async (tx) => {
      await insertNew(tx);
      throw new Error("refused");
    });
    const good = subject.store.transact(insertNew);
    await expect(bad).rejects.toThrow("refused");
    await good;
    expect(await subject.store.read((view) => view.counts("hello"))).toMatchObject({ inQueue: 1 });
  });

  it("a burst of 5,000 steps in one turn all commit, in order", async () => {
    await using subject = await open();
    const burst = Array.from({ length: 5_000 }, () => subject.store.transact(insertNew));
    const seqs = (await Promise.all(burst)).map((job) => job.seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    const counts = await subject.store.read((view) => view.counts("hello"));
    expect(counts.inQueue).toBe(5_000);
  });

  it("keys ascend and are never given twice, whether or not the step that took them threw", async () => {
    await using subject = await open();
    const taken: number[] = [];
    const take = (fail: boolean) =>
      subject.store.transact(async (tx) => {
        taken.push(await tx.nextSeq(), await tx.nextSeq());
        if (fail) throw new Error("refused");
      });
    await Promise.allSettled([take(false), take(true), take(false), take(true)]);
    await take(false);
    expect(taken).toHaveLength(10);
    expect(new Set(taken).size).toBe(10);
    expect(taken).toEqual(taken.toSorted((a, b) => a - b));
    expect(taken.every((seq) => Number.isSafeInteger(seq) && seq > 0)).toBe(true);
  });

  it("a transaction that is used after its step has ended refuses and changes nothing", async () => {
    await using subject = await open();
    const kept = await subject.store.transact(async (tx) => tx);
    const job = await subject.store.transact((tx) => newJob(tx));
    await expect(kept.insertJob(job)).rejects.toThrow("after its step had ended");
    expect(await subject.store.read((view) => view.job(job.id))).toBeUndefined();
  });

  it("closing answers the steps already asked for and refuses all that come later", async () => {
    await using subject = await open();
    const { store } = subject;
    const pending = [store.transact(insertNew), store.transact(insertNew)];
    const closing = store.close();
    await expect(store.transact(insertNew)).rejects.toBeInstanceOf(StoreClosedError);
    expect((await Promise.all(pending)).map((job) => job.status)).toEqual(["IN_QUEUE", "IN_QUEUE"]);
    await closing;
    await expect(store.transact(insertNew)).rejects.toBeInstanceOf(StoreClosedError);
    await expect(store.read((view) => view.nextDueAt())).rejects.toBeInstanceOf(StoreClosedError);
    await expect(store.stage(Buffer.from("x"))).rejects.toBeInstanceOf(StoreClosedError);
  });

  it("closing twice, also at the same time, is harmless", async () => {
    await using subject = await open();
    const { store } = subject;
    await expect(Promise.all([store.close(), store.close()])).resolves.toHaveLength(2);
    await expect(store.close()).resolves.toBeUndefined();
  });
}
