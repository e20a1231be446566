/** The job's state machine: the outcome of each event in each status, and refusals. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIELDS } from "../../../../emulator/core/jobs/job.ts";
import type { JobEvent, JobEventType } from "../../../../emulator/core/jobs/job-event.ts";
import { transition } from "../../../../emulator/core/jobs/job-transition.ts";
import { TRANSITION_ROWS } from "../../../../emulator/core/jobs/transition-table.ts";
import {
  isTerminal,
  JOB_STATUSES,
  type JobStatus,
} from "../../../../runtime/protocol/job-status.ts";
import { after, jobIn, LEASE_TOKEN, queuedJob, SAMPLE_EVENTS, T0 } from "./sample-job.ts";

/** The result of each event in each status, written out by hand; absent means refused. */
const EXPECTED: Record<JobStatus, Partial<Record<JobEventType, string>>> = {
  IN_QUEUE: { "hand-over": "IN_PROGRESS", damage: "FAILED", cancel: "CANCELLED", purge: "deleted" },
  IN_PROGRESS: {
    renew: "IN_PROGRESS",
    arrive: "IN_PROGRESS",
    "report-pause": "IN_PROGRESS",
    "append-chunks": "IN_PROGRESS",
    "report-progress": "IN_PROGRESS",
    complete: "COMPLETED",
    fail: "FAILED",
    "time-out": "TIMED_OUT",
    "lose-worker": "FAILED",
    "hand-back": "IN_QUEUE",
    overrun: "TIMED_OUT",
    damage: "FAILED",
    cancel: "CANCELLED",
    "advance-clock": "IN_PROGRESS",
  },
  COMPLETED: { ...repeatsAre("unchanged"), damage: "FAILED" },
  FAILED: { ...repeatsAre("unchanged"), damage: "FAILED", retry: "IN_QUEUE" },
  TIMED_OUT: { ...repeatsAre("unchanged"), damage: "FAILED", retry: "IN_QUEUE" },
  CANCELLED: { cancel: "unchanged" },
};

function repeatsAre(result: string) {
  return { complete: result, fail: result, "time-out": result, "lose-worker": result };
}

function resultOf(status: JobStatus, event: JobEvent): string {
  const moved = transition(jobIn(status), event, T0 + 10_000);
  return moved.result === "changed" ? moved.job.status : moved.result;
}

describe("the job's transitions", () => {
  for (const status of JOB_STATUSES) {
    for (const event of Object.values(SAMPLE_EVENTS)) {
      const always = { "read-chunks": status, "set-ttl": status, expire: "deleted" };
      const expected = { ...always, ...EXPECTED[status] }[event.type] ?? "refused";
      it(`${event.type} of a job that is ${status} leads to: ${expected}`, () => {
        expect(resultOf(status, event)).toBe(expected);
      });
    }
  }

  it("refuse every event of the handler under a lease that is not current, whatever the status", () => {
    for (const status of JOB_STATUSES) {
      for (const event of Object.values(SAMPLE_EVENTS)) {
        if (!("leaseToken" in event) || event.type === "hand-over") continue;
        const stale = { ...event, leaseToken: "stale" };
        expect(transition(jobIn(status), stale, T0)).toEqual({
          result: "refused",
          refusal: "stale_lease",
        });
      }
    }
  });

  it("name each row as a rule of the contract or ours", () => {
    expect(TRANSITION_ROWS.filter((row) => row.source !== "spec" && row.source !== "ours")).toEqual(
      [],
    );
    expect(TRANSITION_ROWS.length).toBeGreaterThan(40);
  });
});

describe("a job's life", () => {
  it("measures delayTime from submission, or its return to the queue, to hand-over and executionTime from there to the outcome", () => {
    const { "hand-over": handOver, "hand-back": handBack, complete } = SAMPLE_EVENTS;
    const job = after(queuedJob(), handOver, complete);
    expect(job).toMatchObject({ delayTimeMs: 1_000, executionTimeMs: 1_000, attempt: 1 });
    const again = after(queuedJob(), handOver, handBack, handOver, complete);
    expect(again).toMatchObject({ delayTimeMs: 1_000, executionTimeMs: 1_000, attempt: 2 });
  });

  it("never shows a negative time, even if an earlier run's clock was ahead", () => {
    const moved = transition(queuedJob(), SAMPLE_EVENTS["hand-over"], T0 - 5_000);
    expect(moved.result === "changed" && moved.job.delayTimeMs).toBe(0);
  });

  it("keeps its place in the queue when its worker is lost, and counts the retry", () => {
    const event = {
      ...SAMPLE_EVENTS["lose-worker"],
      retryRules: { workerLost: 1, handlerError: 0 },
    };
    const job = after(queuedJob(), SAMPLE_EVENTS["hand-over"], event);
    expect(job).toMatchObject({ status: "IN_QUEUE", queueKey: 1, retries: 1, lostCount: 1 });
    const again = transition(after(job, SAMPLE_EVENTS["hand-over"]), event, T0 + 5_000);
    expect(again.result === "changed" && again.job.status).toBe("FAILED");
  });

  it("loses no attempt when it is handed back", () => {
    const job = after(queuedJob(), SAMPLE_EVENTS["hand-over"], SAMPLE_EVENTS["hand-back"]);
    expect(job).toMatchObject({ status: "IN_QUEUE", queueKey: 1, retries: 0, lostCount: 0 });
    expect(job.lease).toBeUndefined();
  });

  it("goes to the end of the queue when its handler's error is retried", () => {
    const event = { ...SAMPLE_EVENTS.fail, retryRules: { workerLost: 0, handlerError: 2 } };
    const job = after(queuedJob(), SAMPLE_EVENTS["hand-over"], event);
    expect(job).toMatchObject({ status: "IN_QUEUE", queueKey: 99, errorCount: 1, retries: 1 });
  });

  it("keeps id, submission time and time to live in a retry, and loses error, chunks and output", () => {
    const failed = after(
      queuedJob(),
      SAMPLE_EVENTS["hand-over"],
      SAMPLE_EVENTS["append-chunks"],
      SAMPLE_EVENTS.fail,
    );
    const retried = transition(failed, SAMPLE_EVENTS.retry, T0 + 60_000);
    expect(retried).toMatchObject({
      result: "changed",
      voided: { output: true, chunks: true },
      job: { id: "job-1-e1", submittedAt: T0, ttlAt: failed.ttlAt, chunkCount: 0, retries: 1 },
    });
    expect(retried.result === "changed" && retried.job.failure).toBeUndefined();
  });

  it("has all its attempts again after a retry on request", () => {
    const retryRules = { workerLost: 1, handlerError: 1 };
    for (const type of ["lose-worker", "fail"] as const) {
      const tried = [SAMPLE_EVENTS["hand-over"], { ...SAMPLE_EVENTS[type], retryRules }];
      const failed = after(queuedJob(), ...tried, ...tried);
      expect(failed.status).toBe("FAILED");
      const again = after(failed, SAMPLE_EVENTS.retry, ...tried);
      expect(again).toMatchObject({ status: "IN_QUEUE", retries: 3 });
      expect(after(again, ...tried).status).toBe("FAILED");
    }
  });

  it("loses chunks and output whenever it goes back to the queue", () => {
    const retryRules = { workerLost: 1, handlerError: 1 };
    const running = after(jobIn("IN_PROGRESS"), SAMPLE_EVENTS["append-chunks"]);
    for (const event of [
      SAMPLE_EVENTS["hand-back"],
      { ...SAMPLE_EVENTS["lose-worker"], retryRules },
      { ...SAMPLE_EVENTS.fail, retryRules },
    ]) {
      expect(transition(running, event, T0), event.type).toMatchObject({
        voided: { output: true, chunks: true },
        job: { status: "IN_QUEUE", chunkCount: 0 },
      });
    }
  });

  it("refuses chunks that are repeated or leave a gap, without harm", () => {
    const running = after(jobIn("IN_PROGRESS"), SAMPLE_EVENTS["append-chunks"]);
    for (const firstIndex of [0, 1, 3]) {
      const event = { ...SAMPLE_EVENTS["append-chunks"], firstIndex };
      expect(transition(running, event, T0)).toEqual({ result: "unchanged", job: running });
    }
  });

  it("revokes the lease of a running job that is cancelled, times out, expires or is lost", () => {
    const reasons = {
      cancel: "cancelled",
      overrun: "timed-out",
      expire: "expired",
      "lose-worker": "lease-lost",
    };
    for (const [type, reason] of Object.entries(reasons)) {
      const event = Object.values(SAMPLE_EVENTS).find((candidate) => candidate.type === type);
      const moved = event && transition(jobIn("IN_PROGRESS"), event, T0);
      const effects = moved && "effects" in moved ? moved.effects : [];
      expect(effects[0]).toEqual({
        type: "revoke",
        workerId: "w1",
        jobId: "job-1-e1",
        leaseToken: LEASE_TOKEN,
        reason,
      });
    }
  });

  it("shows a purged job as CANCELLED to its waiting clients", () => {
    const purged = transition(queuedJob(), { type: "purge" }, T0);
    expect(purged).toMatchObject({
      result: "deleted",
      effects: [{ type: "removed", by: "purge", job: { status: "CANCELLED" } }],
    });
  });

  it("never changes a fixed field, in any history", () => {
    const fixed = FIELDS.filter((field) => field.fixed).map(({ name }) => name);
    expect(fixed).toContain("seq");
    const anyEvent = fc.constantFrom(...Object.values(SAMPLE_EVENTS));
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        const submitted = queuedJob();
        let job = submitted;
        for (const event of events) {
          const moved = transition(job, event, T0 + 1_000);
          if ("job" in moved) job = moved.job;
          for (const name of fixed)
            expect(job[name], `${name}, ${event.type}`).toBe(submitted[name]);
        }
      }),
    );
  });

  it("never leaves a final status except by retry, deletion or damaged data, in any history", () => {
    const anyEvent = fc.constantFrom(...Object.values(SAMPLE_EVENTS));
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        let job = queuedJob();
        for (const event of events) {
          const moved = transition(job, event, T0 + 1_000);
          if (moved.result === "deleted") return;
          if (moved.result !== "changed") continue;
          if (isTerminal(job.status) && moved.job.status !== job.status) {
            expect(["retry", "damage"]).toContain(event.type);
          }
          if (isTerminal(moved.job.status)) expect(moved.job.endedAt).toBeDefined();
          if (moved.job.status === "IN_PROGRESS") expect(moved.job.lease).toBeDefined();
          if (moved.job.status === "IN_QUEUE") expect(moved.job.lease).toBeUndefined();
          expect(moved.job.chunksRead).toBeLessThanOrEqual(moved.job.chunkCount);
          job = moved.job;
        }
      }),
    );
  });
});
