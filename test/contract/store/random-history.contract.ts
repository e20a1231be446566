/** Contract of the store: whatever happens to jobs, orders and counters are those of a recount. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { dueAt } from "../../../emulator/core/jobs/job-due.ts";
import { countChange, NO_COUNTS } from "../../../emulator/core/jobs/job-counts.ts";
import { transition } from "../../../emulator/core/jobs/job-transition.ts";
import type { JobEvent } from "../../../emulator/core/jobs/job-event.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import type { Store, StoreTransaction } from "../../../emulator/store/store.ts";
import { withoutTotals } from "../../../emulator/store/totals.ts";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import { newJob, NOW, type OpenSubject } from "./subject.ts";

const ENDPOINTS = ["one", "two"] as const;
const EVENTS = [
  "hand-over",
  "hand-over",
  "renew",
  "append-chunks",
  "complete",
  "fail",
  "lose-worker",
  "hand-back",
  "cancel",
  "retry",
  "pin-expiry",
  "purge",
  "expire",
] as const;

const command = fc.record({
  event: fc.constantFrom("submit", "submit", ...EVENTS),
  pick: fc.nat(1_000),
  endpointId: fc.constantFrom(...ENDPOINTS),
  lowPriority: fc.boolean(),
  throws: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
});
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** The jobs a naive store would have. */
type Model = ReadonlyMap<number, Job>;

function eventFor(type: (typeof EVENTS)[number], job: Job, nextQueueKey: number): JobEvent {
  const leaseToken = job.lease?.token ?? "none";
  const failure = { type: "handler_error", message: "no" } as const;
  const retryRules = { workerLost: 1, handlerError: 1 };
  switch (type) {
    case "hand-over":
      return { type, workerId: `w${job.seq % 3}`, leaseToken: `t${nextQueueKey}`, leaseMs: 15_000 };
    case "renew":
      return { type, leaseToken, leaseMs: 20_000 };
    case "append-chunks":
      return { type, leaseToken, firstIndex: job.chunkCount, count: 2 };
    case "fail":
      return { type, leaseToken, failure, retryRules, nextQueueKey };
    case "lose-worker":
      return { type, leaseToken, failure, retryRules };
    case "complete":
    case "hand-back":
      return { type, leaseToken };
    case "retry":
      return { type, nextQueueKey };
    case "pin-expiry":
      return { type, ttlMs: 5_000 };
    case "cancel":
    case "purge":
    case "expire":
      return { type };
  }
}

async function carryOut(
  tx: StoreTransaction,
  model: Model,
  made: Command,
  now: number,
): Promise<Model> {
  const next = new Map(model);
  if (made.event === "submit") {
    const job = await newJob(tx, { ...made, at: now });
    await tx.insertJob(job);
    next.set(job.seq, job);
  } else {
    const job = [...model.values()][made.pick % Math.max(1, model.size)];
    if (job === undefined) return model;
    const result = transition(job, eventFor(made.event, job, await tx.nextSeq()), now);
    if (result.result === "changed") {
      await tx.replaceJob(job, result.job);
      next.set(job.seq, result.job);
    } else if (result.result === "deleted") {
      await tx.deleteJob(job);
      next.delete(job.seq);
    }
  }
  if (made.throws) throw new Error("refused");
  return next;
}

async function compare(store: Store, model: Model, now: number): Promise<void> {
  const jobs = [...model.values()].toSorted((a, b) => a.seq - b.seq);
  const seqs = (found: readonly Job[]) => found.map((job) => job.seq);
  await store.transact(async (tx) => {
    const due = jobs.filter((job) => dueAt(job) <= now + 60_000);
    const ordered = due.toSorted((a, b) => dueAt(a) - dueAt(b) || a.seq - b.seq);
    expect(seqs(await tx.dueJobs(now + 60_000, 999))).toEqual(seqs(ordered));
    const earliest = Math.min(...jobs.map(dueAt));
    expect(await tx.nextDueAt()).toBe(jobs.length === 0 ? undefined : earliest);
    expect(await tx.runningJobs({})).toEqual(jobs.filter((job) => job.status === "IN_PROGRESS"));
    for (const endpointId of ENDPOINTS) {
      const own = jobs.filter((job) => job.endpointId === endpointId);
      expect(await tx.jobsOf(endpointId, 999)).toEqual(own);
      const newest = own.toReversed();
      expect(await tx.listJobs(endpointId, { limit: 999 })).toEqual(newest);
      for (const status of JOB_STATUSES) {
        const listed = await tx.listJobs(endpointId, { status, limit: 999 });
        expect(listed).toEqual(newest.filter((job) => job.status === status));
      }
      const waiting = own.filter((job) => job.status === "IN_QUEUE");
      const queue = waiting.toSorted((a, b) => a.queueKey - b.queueKey);
      expect(await tx.waitingJobs(endpointId, 999)).toEqual(queue);
      const scaling = waiting.filter((job) => !job.lowPriority).map((job) => job.queuedAt);
      const oldest = scaling.length === 0 ? undefined : Math.min(...scaling);
      expect(await tx.oldestScalingQueuedAt(endpointId)).toBe(oldest);
      const recount = own.reduce((counts, job) => countChange(counts, undefined, job), NO_COUNTS);
      expect(withoutTotals(await tx.counts(endpointId))).toEqual(withoutTotals(recount));
    }
  });
}

export function randomHistoryContract(open: OpenSubject): void {
  it("after any history of jobs, orders and counters are those of a recount", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 80 }), async (commands) => {
        await using subject = await open();
        let model: Model = new Map();
        let now = NOW;
        for (const [index, made] of commands.entries()) {
          now += 1_000;
          const step = subject.store.transact((tx) => carryOut(tx, model, made, now));
          if (made.throws) await step.catch(() => undefined);
          else model = await step;
          if (index % 10 === 9) await compare(subject.store, model, now);
        }
        await compare(subject.store, model, now);
      }),
      { numRuns: 40 },
    );
  });

  it("the totals of an endpoint are the sum of what happened to its jobs, also to those deleted", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 80 }), async (commands) => {
        await using subject = await open();
        let model: Model = new Map();
        const totals = new Map(ENDPOINTS.map((endpointId) => [endpointId as string, NO_COUNTS]));
        for (const made of commands) {
          const before = model;
          const step = subject.store.transact((tx) => carryOut(tx, before, made, NOW));
          if (made.throws) await step.catch(() => undefined);
          else model = await step;
          for (const seq of new Set([...before.keys(), ...model.keys()])) {
            const [was, is] = [before.get(seq), model.get(seq)];
            const endpointId = (was ?? is)?.endpointId ?? "";
            totals.set(endpointId, countChange(totals.get(endpointId) ?? NO_COUNTS, was, is));
          }
        }
        for (const endpointId of ENDPOINTS) {
          const counts = await subject.store.read((view) => view.counts(endpointId));
          expect(counts).toEqual(totals.get(endpointId));
        }
      }),
      { numRuns: 20 },
    );
  });
}
