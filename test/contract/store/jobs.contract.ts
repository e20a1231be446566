/** Contract of the store: jobs as rows, their orders and their counters. */
import { expect, it } from "vitest";
import { dueAt } from "../../../emulator/core/jobs/job-due.ts";
import { NO_COUNTS } from "../../../emulator/core/jobs/job-counts.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import {
  after,
  completed,
  handedOver,
  insertNew,
  newJob,
  NOW,
  type OpenSubject,
} from "./subject.ts";

const FAILURE: Failure = {
  type: "process_exited",
  message: 'the handler process was ended by SIGKILL: "\u0000 \u{1F600} \ud800"',
  workerId: "worker-1",
  signal: "SIGKILL",
  outOfMemory: true,
  lastLogLines: ["erste Zeile ä", "", "третья"],
};

/** Every field away from what a fresh job has, but those that never change. */
function fullJob(job: Job): Job {
  return {
    ...job,
    status: "FAILED",
    queueKey: job.seq + 7,
    queuedAt: NOW + 1,
    startedAt: NOW + 2,
    endedAt: NOW + 3,
    delayTimeMs: 0,
    executionTimeMs: 4,
    ttlAt: NOW + 5,
    ttlPinned: true,
    attempt: 3,
    lostCount: 1,
    errorCount: 2,
    retries: 4,
    lease: { token: "token", workerId: "worker-2", expiresAt: NOW + 6, overrunAt: NOW + 7 },
    workerId: "worker-1",
    failure: FAILURE,
    chunkCount: 11,
    chunksRead: 5,
  };
}

const FIXED = { kind: "sync", lowPriority: true, webhook: "https://a.test/hook?a=1&b=ü" } as const;

const ODD_IDS = [
  "",
  " ",
  "sync-0190a5d8-e1",
  "'; DROP TABLE job; --",
  "ключ-鍵-🔑",
  "e\u0301",
  "\u00e9",
  "%_*?",
  "__proto__",
  "1",
  "01",
  "1.0",
  "x".repeat(10_000),
];

export function jobsContract(open: OpenSubject): void {
  it("a job comes back equal in every field, fresh and with every field set", async () => {
    await using subject = await open();
    const { fresh, full } = await subject.store.transact(async (tx) => {
      const first = await insertNew(tx);
      const second = { ...fullJob(await newJob(tx)), ...FIXED };
      await tx.insertJob(second);
      return { fresh: first, full: second };
    });
    expect(await subject.store.read((view) => view.job(fresh.id))).toStrictEqual(fresh);
    expect(await subject.store.read((view) => view.job(full.id))).toStrictEqual(full);
  });

  it("a replaced job comes back equal in every field, there and back", async () => {
    await using subject = await open();
    const { store } = subject;
    const fresh = await store.transact(insertNew);
    const full = fullJob(fresh);
    await store.transact((tx) => tx.replaceJob(fresh, full));
    expect(await store.read((view) => view.job(fresh.id))).toStrictEqual(full);
    await store.transact((tx) => tx.replaceJob(full, fresh));
    expect(await store.read((view) => view.job(fresh.id))).toStrictEqual(fresh);
  });

  it("every status and both kinds are kept", async () => {
    await using subject = await open();
    for (const status of JOB_STATUSES) {
      for (const kind of ["async", "sync"] as const) {
        const job = await subject.store.transact(async (tx) => {
          const made: Job = { ...(await newJob(tx)), status, kind };
          await tx.insertJob(made);
          return made;
        });
        const stored = await subject.store.read((view) => view.job(job.id));
        expect(stored).toMatchObject({ status, kind });
      }
    }
  });

  it("ids and endpoint ids of any characters are kept apart and found again", async () => {
    await using subject = await open();
    const { store } = subject;
    await store.transact(async (tx) => {
      for (const id of ODD_IDS) await insertNew(tx, { id, endpointId: id });
    });
    for (const id of ODD_IDS) {
      const job = await store.read((view) => view.job(id));
      expect(job).toMatchObject({ id, endpointId: id });
      const waiting = await store.transact((tx) => tx.waitingJobs(id, 9));
      expect(waiting.map((found) => found.id)).toEqual([id]);
    }
  });

  it("a job that does not exist, or no longer, is undefined", async () => {
    await using subject = await open();
    const job = await subject.store.transact(insertNew);
    await subject.store.transact((tx) => tx.deleteJob(job));
    expect(await subject.store.read((view) => view.job(job.id))).toBeUndefined();
    expect(await subject.store.read((view) => view.job("never"))).toBeUndefined();
  });

  it("a second job with the same id or key is refused and changes nothing", async () => {
    await using subject = await open();
    const { store } = subject;
    const job = await store.transact(insertNew);
    const sameId = store.transact((tx) => insertNew(tx, { id: job.id }));
    const sameSeq = store.transact((tx) => tx.insertJob({ ...job, id: "another" }));
    await expect(sameId).rejects.toThrow("already stored");
    await expect(sameSeq).rejects.toThrow("already stored");
    expect(await store.read((view) => view.counts("hello"))).toEqual({ ...NO_COUNTS, inQueue: 1 });
  });

  it("replacing or deleting a job that is not as stated is refused and changes nothing", async () => {
    await using subject = await open();
    const { store } = subject;
    const job = await store.transact(insertNew);
    const running = handedOver(job);
    const stale = store.transact((tx) => tx.replaceJob(running, completed(running)));
    const missing = store.transact((tx) => tx.deleteJob({ ...job, seq: job.seq + 1, id: "never" }));
    const changed = store.transact((tx) => tx.deleteJob(running));
    for (const refused of [stale, missing, changed]) {
      await expect(refused).rejects.toThrow("is not stored");
    }
    expect(await store.read((view) => view.job(job.id))).toEqual(job);
    expect(await store.read((view) => view.counts("hello"))).toEqual({ ...NO_COUNTS, inQueue: 1 });
  });

  it("waiting jobs come by queueKey, only those of the endpoint, no more than asked for", async () => {
    await using subject = await open();
    await subject.store.transact(async (tx) => {
      const jobs: Job[] = [];
      for (let count = 0; count < 6; count += 1) jobs.push(await insertNew(tx));
      const [a, b, c, d, e, f] = jobs;
      if (!a || !b || !c || !d || !e || !f) throw new Error("six jobs were made");
      await insertNew(tx, { endpointId: "another" });
      await tx.replaceJob(a, handedOver(a));
      await tx.replaceJob(b, { ...b, queueKey: await tx.nextSeq() });
      await tx.deleteJob(c);
      const waiting = await tx.waitingJobs("hello", 9);
      expect(waiting.map((job) => job.seq)).toEqual([d.seq, e.seq, f.seq, b.seq]);
      expect((await tx.waitingJobs("hello", 2)).map((job) => job.seq)).toEqual([d.seq, e.seq]);
      expect(await tx.waitingJobs("hello", 0)).toEqual([]);
      expect(await tx.waitingJobs("unknown", 9)).toEqual([]);
    });
  });

  it("a job that lost its worker is first in the queue again", async () => {
    await using subject = await open();
    await subject.store.transact(async (tx) => {
      const first = await insertNew(tx);
      const second = await insertNew(tx);
      const running = handedOver(first);
      await tx.replaceJob(first, running);
      const lost = after(running, {
        type: "lose-worker",
        leaseToken: running.lease?.token ?? "",
        failure: FAILURE,
        retryRules: { workerLost: 1, handlerError: 0 },
      });
      await tx.replaceJob(running, lost);
      expect(await tx.waitingJobs("hello", 9)).toEqual([lost, second]);
      expect((await tx.counts("hello")).retried).toBe(1);
    });
  });

  it("running jobs are found by worker, by endpoint, by both and altogether", async () => {
    await using subject = await open();
    await subject.store.transact(async (tx) => {
      const run = async (workerId: string, endpointId: string) => {
        const job = await insertNew(tx, { endpointId });
        await tx.replaceJob(job, handedOver(job, workerId));
        return job.seq;
      };
      const a = await run("w1", "hello");
      const b = await run("w2", "hello");
      const c = await run("w1", "another");
      await insertNew(tx);
      const done = await insertNew(tx);
      const taken = handedOver(done, "w1");
      await tx.replaceJob(done, taken);
      await tx.replaceJob(taken, completed(taken));
      const found = async (filter: Parameters<typeof tx.runningJobs>[0]) =>
        (await tx.runningJobs(filter)).map((job) => job.seq);
      expect(await found({})).toEqual([a, b, c]);
      expect(await found({ workerId: "w1" })).toEqual([a, c]);
      expect(await found({ endpointId: "hello" })).toEqual([a, b]);
      expect(await found({ workerId: "w1", endpointId: "hello" })).toEqual([a]);
      expect(await found({ workerId: "w3" })).toEqual([]);
      expect(await found({ endpointId: "unknown" })).toEqual([]);
    });
  });

  it("jobs of an endpoint come by key, whatever their status", async () => {
    await using subject = await open();
    await subject.store.transact(async (tx) => {
      const a = await insertNew(tx);
      await insertNew(tx, { endpointId: "another" });
      const b = await insertNew(tx);
      const c = await insertNew(tx);
      await tx.replaceJob(b, handedOver(b));
      expect((await tx.jobsOf("hello", 9)).map((job) => job.seq)).toEqual([a.seq, b.seq, c.seq]);
      expect((await tx.jobsOf("hello", 1)).map((job) => job.seq)).toEqual([a.seq]);
      expect(await tx.jobsOf("unknown", 9)).toEqual([]);
    });
  });

  it("due jobs come earliest first, from the very moment they are due", async () => {
    await using subject = await open();
    const { store } = subject;
    const [late, soon, running] = await store.transact(async (tx) => {
      const a = await insertNew(tx, { ttlMs: 30_000 });
      const b = await insertNew(tx, { ttlMs: 20_000 });
      const c = await insertNew(tx, { endpointId: "another" });
      await tx.replaceJob(c, handedOver(c));
      return [a, b, handedOver(c)];
    });
    const dueBy = (now: number, limit = 9) => store.transact((tx) => tx.dueJobs(now, limit));
    expect(dueAt(running)).toBe(NOW + 15_000);
    expect(await store.read((view) => view.nextDueAt())).toBe(NOW + 15_000);
    expect(await dueBy(NOW + 14_999)).toEqual([]);
    expect(await dueBy(NOW + 15_000)).toEqual([running]);
    expect(await dueBy(NOW + 30_000)).toEqual([running, soon, late]);
    expect(await dueBy(NOW + 30_000, 2)).toEqual([running, soon]);
    await store.transact((tx) => tx.replaceJob(running, completed(running)));
    expect(await store.read((view) => view.nextDueAt())).toBe(NOW + 20_000);
    await store.transact((tx) => tx.deleteJob(soon));
    expect(await store.read((view) => view.nextDueAt())).toBe(NOW + 30_000);
  });

  it("nothing is due when there are no jobs", async () => {
    await using subject = await open();
    expect(await subject.store.read((view) => view.nextDueAt())).toBeUndefined();
    expect(await subject.store.transact((tx) => tx.dueJobs(Number.MAX_SAFE_INTEGER, 9))).toEqual(
      [],
    );
  });

  it("the oldest job that may cause scaling is neither of low priority nor running nor another endpoint's", async () => {
    await using subject = await open();
    const { store } = subject;
    const oldest = () => store.read((view) => view.oldestScalingQueuedAt("hello"));
    expect(await oldest()).toBeUndefined();
    const first = await store.transact(async (tx) => {
      await insertNew(tx, { at: NOW - 3, lowPriority: true });
      await insertNew(tx, { at: NOW - 2, endpointId: "another" });
      await insertNew(tx, { at: NOW });
      return insertNew(tx, { at: NOW - 1 });
    });
    expect(await oldest()).toBe(NOW - 1);
    await store.transact((tx) => tx.replaceJob(first, handedOver(first)));
    expect(await oldest()).toBe(NOW);
  });

  it("an endpoint's totals outlive its jobs and end with its record; its present jobs stay counted", async () => {
    await using subject = await open();
    const { store } = subject;
    await store.transact(async (tx) => {
      const job = await insertNew(tx);
      const running = handedOver(job);
      await tx.replaceJob(job, running);
      await tx.replaceJob(running, completed(running));
      await tx.deleteJob(completed(running));
      await insertNew(tx, { lowPriority: true });
    });
    const present = { ...NO_COUNTS, inQueue: 1, inQueueLowPriority: 1 };
    expect(await store.read((view) => view.counts("hello"))).toEqual({ ...present, completed: 1 });
    await store.transact((tx) => tx.deleteRecord("endpoint", "hello"));
    expect(await store.read((view) => view.counts("hello"))).toEqual(present);
  });
}
