/** A job that a debugger holds: executionTimeout is paused, all other times run. */
import { expect, it } from "vitest";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import type { HandedJob } from "../../../../runtime/protocol/outcome.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";
import type { ScriptedWorker } from "../../scripted-worker.ts";

const EXECUTION_MS = 5_000;
const OVERRUN_MS = EXECUTION_MS + LIMITS.executionGraceMs;

async function running(
  test: TestEngine,
  ttlMs: number = LIMITS.ttlDefaultMs,
): Promise<{ worker: ScriptedWorker; job: HandedJob }> {
  const worker = await test.connectWorker();
  await test.submit({ ttlMs, executionTimeoutMs: EXECUTION_MS });
  return { worker, job: await worker.nextJob() };
}

function leaseOf({ jobId, leaseToken }: HandedJob) {
  return { jobId, leaseToken };
}

/** Lets time pass while the worker renews its lease. */
async function live(test: TestEngine, worker: ScriptedWorker, job: HandedJob, ms: number) {
  for (let left = ms; left > 0; left -= LIMITS.leaseRenewalMs) {
    await test.clock.advance(Math.min(left, LIMITS.leaseRenewalMs));
    await worker.report({ renewals: [leaseOf(job)] });
  }
}

async function statusOf({ engine }: TestEngine, { jobId }: HandedJob) {
  return (await engine.steps.read((reads) => reads.job(jobId)))?.status;
}

it("a paused job is never ended by the service, and has its remaining time afterwards", async () => {
  await using test = await createTestEngine();
  const { worker, job } = await running(test);
  await live(test, worker, job, 2_000);
  await worker.report({ pauses: [{ ...leaseOf(job), isPaused: true, pausedMs: 0 }] });
  await live(test, worker, job, 60_000);
  expect(await statusOf(test, job)).toBe("IN_PROGRESS");
  await worker.report({ pauses: [{ ...leaseOf(job), isPaused: false, pausedMs: 60_000 }] });
  await live(test, worker, job, OVERRUN_MS - 2_000 - 1);
  expect(await statusOf(test, job)).toBe("IN_PROGRESS");
  await test.clock.advance(1);
  expect(await statusOf(test, job)).toBe("TIMED_OUT");
});

it("a paused job gains at most its running time, whatever its worker reports", async () => {
  await using test = await createTestEngine();
  const { worker, job } = await running(test);
  await live(test, worker, job, 2_000);
  await worker.report({ pauses: [{ ...leaseOf(job), isPaused: false, pausedMs: 3_600_000 }] });
  await live(test, worker, job, OVERRUN_MS - 1);
  expect(await statusOf(test, job)).toBe("IN_PROGRESS");
  await test.clock.advance(1);
  expect(await statusOf(test, job)).toBe("TIMED_OUT");
});

it("a paused job may complete long after its executionTimeout", async () => {
  await using test = await createTestEngine();
  const { worker, job } = await running(test);
  await worker.report({ pauses: [{ ...leaseOf(job), isPaused: true, pausedMs: 0 }] });
  await live(test, worker, job, 3 * OVERRUN_MS);
  const pause = { ...leaseOf(job), isPaused: false, pausedMs: 3 * OVERRUN_MS };
  await worker.report({
    pauses: [pause],
    outcomes: [{ ...leaseOf(job), outcome: { kind: "completed" } }],
  });
  expect(await statusOf(test, job)).toBe("COMPLETED");
});

it("a paused job is lost if its worker is lost", async () => {
  await using test = await createTestEngine();
  const { worker, job } = await running(test);
  await worker.report({ pauses: [{ ...leaseOf(job), isPaused: true, pausedMs: 0 }] });
  await test.clock.advance(LIMITS.leaseMs);
  expect(await statusOf(test, job)).toBe("IN_QUEUE");
});

it("a paused job is deleted at the end of its time to live, which counts from its submission", async () => {
  await using test = await createTestEngine();
  const { worker, job } = await running(test, 20_000);
  await worker.report({ pauses: [{ ...leaseOf(job), isPaused: true, pausedMs: 0 }] });
  await live(test, worker, job, 20_000);
  expect(await statusOf(test, job)).toBeUndefined();
});

it("a paused job's time starts over when it is handed to another worker", async () => {
  await using test = await createTestEngine();
  const { worker, job } = await running(test);
  await worker.report({ pauses: [{ ...leaseOf(job), isPaused: true, pausedMs: 0 }] });
  await worker.finish(job, { kind: "handed-back" });
  const other = await test.connectWorker();
  const again = await other.nextJob();
  // Reports under the old lease have no effect.
  await worker.report({ pauses: [{ ...leaseOf(job), isPaused: true, pausedMs: 0 }] });
  await live(test, other, again, OVERRUN_MS);
  expect(await statusOf(test, again)).toBe("TIMED_OUT");
});
