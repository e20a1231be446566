/** The attempts at a job after its transitions. */
import { describe, expect, it } from "vitest";
import { KEPT_ATTEMPTS } from "../../../../emulator/core/jobs/attempt.ts";
import { attemptsLeftOut, attemptsOf } from "../../../../emulator/core/jobs/job-attempts.ts";
import type { JobEvent } from "../../../../emulator/core/jobs/job-event.ts";
import type { Job } from "../../../../emulator/core/jobs/job.ts";
import type { Failure } from "../../../../runtime/protocol/failure.ts";
import { after, jobIn, LEASE_TOKEN, queuedJob, SAMPLE_EVENTS, T0 } from "./sample-job.ts";

const HAND_OVER = SAMPLE_EVENTS["hand-over"];
const RETRIES = { workerLost: 10_000, handlerError: 10_000 };

function failing(failure: Partial<Failure> = {}): JobEvent {
  const whole = { type: "handler_error", message: "it broke", ...failure } as const;
  return { ...SAMPLE_EVENTS.fail, failure: whole, retryRules: RETRIES };
}

const outcomes = (job: Job) => attemptsOf(job).map(({ outcome }) => outcome);

describe("an attempt", () => {
  it("exists only after the first hand-over, and not for a job that is cancelled in the queue", () => {
    expect(attemptsOf(queuedJob())).toEqual([]);
    expect(attemptsOf(after(queuedJob(), SAMPLE_EVENTS.cancel))).toEqual([]);
  });

  it("adds no field to a job that completes at its first attempt", () => {
    const job = after(queuedJob(), HAND_OVER, SAMPLE_EVENTS.complete);
    expect(job).toMatchObject({ earlierAttempts: undefined, workerStart: undefined });
    expect(attemptsOf(job)).toEqual([
      {
        ...{ number: 1, outcome: "completed", workerId: "w1" },
        ...{ queuedAt: T0, startedAt: T0 + 1_000, endedAt: T0 + 2_000 },
      },
    ]);
  });

  it.each([
    ["IN_PROGRESS", "running"],
    ["COMPLETED", "completed"],
    ["FAILED", "failed"],
    ["TIMED_OUT", "timed_out"],
    ["CANCELLED", "cancelled"],
  ] as const)("of a job that is %s is %s", (status, outcome) => {
    expect(outcomes(jobIn(status))).toEqual([outcome]);
  });

  it.each([
    [{ type: "handler_error" }, "failed"],
    [{ type: "invalid_input" }, "failed"],
    [{ type: "process_exited" }, "crashed"],
    [{ type: "process_exited", outOfMemory: true }, "out_of_memory"],
    [{ type: "worker_lost" }, "lost"],
    [{ type: "worker_lost", outOfMemory: true }, "out_of_memory"],
    [{ type: "execution_timeout" }, "timed_out"],
    [{ type: "data_damaged" }, "damaged"],
  ] as const)("that failed with %o is %s", (failure, outcome) => {
    const job = after(queuedJob(), HAND_OVER, failing(failure));
    expect(attemptsOf(job)).toMatchObject([{ number: 1, outcome, failure }]);
  });

  it.each(["handed_back", "undelivered", "interrupted"] as const)("is %s", (outcome) => {
    const back = { ...SAMPLE_EVENTS["hand-back"], outcome };
    const job = after(queuedJob(), HAND_OVER, back, HAND_OVER, SAMPLE_EVENTS.complete);
    expect(outcomes(job)).toEqual([outcome, "completed"]);
    expect(attemptsOf(job)[0]).not.toHaveProperty("failure");
  });

  it("before a retry by a client keeps its failure, and the time of its end", () => {
    const retried = after(jobIn("FAILED"), SAMPLE_EVENTS.retry, HAND_OVER);
    expect(retried.failure).toBeUndefined();
    expect(attemptsOf(retried)).toMatchObject([
      { number: 1, outcome: "failed", endedAt: T0 + 2_000, failure: { message: "it broke" } },
      { number: 2, outcome: "running", queuedAt: T0 + 1_000 },
    ]);
  });

  it("of a lost worker keeps the reason of the loss", () => {
    const lost = { type: "worker_lost", message: "worker w1 ran out of memory" } as const;
    const job = after(queuedJob(), HAND_OVER, {
      ...SAMPLE_EVENTS["lose-worker"],
      failure: lost,
      retryRules: RETRIES,
    });
    expect(attemptsOf(job)).toMatchObject([{ outcome: "lost", failure: lost }]);
  });

  it("has its worker's version, and the worker's start if the job waited for it", () => {
    const start = { workerStartedAt: T0 - 9, pulledAt: T0 - 8, bootedAt: T0 - 7, readyAt: T0 + 1 };
    const cold = { ...HAND_OVER, version: 7, workerStart: start };
    expect(attemptsOf(after(queuedJob(), cold))).toMatchObject([{ version: 7, ...start }]);
    const warm = { ...cold, workerStart: { ...start, readyAt: T0 - 1 } };
    expect(attemptsOf(after(queuedJob(), warm))[0]).not.toHaveProperty("readyAt");
    const second = after(queuedJob(), cold, SAMPLE_EVENTS["hand-back"], { ...warm, version: 8 });
    expect(attemptsOf(second)).toMatchObject([{ readyAt: T0 + 1, version: 7 }, { version: 8 }]);
    expect(attemptsOf(second)[1]).not.toHaveProperty("readyAt");
  });
});

describe("the record of many attempts", () => {
  const tried = (times: number) =>
    Array.from({ length: times }).reduce<Job>(
      (job) => after(job, HAND_OVER, failing({ stack: "x".repeat(100_000) })),
      queuedJob(),
    );

  it("keeps all up to a number, and then the first and the newest", () => {
    const few = tried(KEPT_ATTEMPTS);
    expect(attemptsOf(few)).toHaveLength(KEPT_ATTEMPTS);
    expect(attemptsLeftOut(few)).toBe(0);
    const many = after(tried(1_000), HAND_OVER);
    const numbers = attemptsOf(many).map(({ number }) => number);
    const newest = Array.from({ length: KEPT_ATTEMPTS }, (_, at) => 1_001 - at).toReversed();
    expect(numbers).toEqual([1, ...newest]);
    expect(attemptsLeftOut(many)).toBe(1_001 - KEPT_ATTEMPTS - 1);
  });

  it("has bounded texts, except in the last attempt", () => {
    expect(JSON.stringify(tried(1_000)).length).toBeLessThan(60_000);
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at} ${"x".repeat(9_000)}`);
    const failure = {
      lastLogLines: lines,
      reported: "y".repeat(9_000),
      message: "z".repeat(9_000),
    };
    const [kept] = attemptsOf(after(queuedJob(), HAND_OVER, failing(failure)));
    expect(kept?.failure?.lastLogLines?.at(-1)).toMatch(/^line 19 x+…$/);
    expect(JSON.stringify(kept).length).toBeLessThan(6_000);
    const last = after(queuedJob(), HAND_OVER, {
      ...SAMPLE_EVENTS.fail,
      leaseToken: LEASE_TOKEN,
      failure: { type: "handler_error", message: "z".repeat(9_000) },
    });
    expect(attemptsOf(last)[0]?.failure?.message).toHaveLength(9_000);
  });
});
