/** While a debugger holds the handler process, no time limit runs: not a job's, its grace's or its setup's. */
import { expect, test } from "vitest";
import { DebuggerClient, freeAddress } from "../../../debugger-client.ts";
import { WorkerRun } from "../worker-run.ts";

const HANDLER = "stops-at-breakpoints";

// The concurrent tests wait in real time, and can do so together.

test.concurrent("a job that is at a breakpoint for longer than its executionTimeout completes", async () => {
  const inspect = await freeAddress();
  await using run = new WorkerRun(HANDLER, { inspect });
  await run.source.whenReady.promise;
  await using debug = await DebuggerClient.attach(inspect);
  const job = run.source.submit({ executionTimeoutMs: 2_000 });
  await debug.stopped();
  const seen = Number(await debug.evaluate("_context.deadline"));
  await debug.linger(3_000);
  expect(await debug.evaluate("_context.deadline")).toBe(seen);
  expect(job.pauses).toEqual([
    { jobId: job.jobId, leaseToken: job.leaseToken, isPaused: true, pausedMs: 0 },
  ]);
  await debug.resume();
  const { kind, output } = await job.result();
  expect(kind).toBe("completed");
  const { before, after } = output as { before: number; after: number };
  expect(before).toBeGreaterThanOrEqual(seen);
  // The three seconds at the breakpoint are not part of its used time.
  expect(after).toBeGreaterThan(before - 1_000);
  expect(job.pauses.at(-1)?.isPaused).toBe(false);
  expect(job.pauses.at(-1)?.pausedMs).toBeGreaterThanOrEqual(3_000);
});

test.concurrent("afterwards a job has its remaining time, and is TIMED_OUT at its end", async () => {
  const inspect = await freeAddress();
  await using run = new WorkerRun(HANDLER, { inspect });
  await run.source.whenReady.promise;
  await using debug = await DebuggerClient.attach(inspect);
  const submittedAt = performance.now();
  const job = run.source.submit({ input: { forever: true }, executionTimeoutMs: 1_500 });
  await debug.stopped();
  await debug.linger(2_000);
  await debug.resume();
  expect(await job.result()).toMatchObject({
    kind: "timed-out",
    failure: { message: "The job ran longer than its executionTimeout of 1500 ms." },
  });
  expect(performance.now() - submittedAt).toBeGreaterThanOrEqual(3_500);
});

test.concurrent("a job that arrives while another is at a breakpoint is reported as paused at once", async () => {
  const inspect = await freeAddress();
  await using run = new WorkerRun(HANDLER, { inspect, env: { TEST_CONCURRENCY: "2" } });
  await run.source.whenReady.promise;
  await using debug = await DebuggerClient.attach(inspect);
  const first = run.source.submit();
  await expect.poll(() => first.pauses).toHaveLength(1);
  const next = run.source.submit();
  const { jobId, leaseToken } = next;
  await expect
    .poll(() => next.pauses)
    .toEqual([{ jobId, leaseToken, isPaused: true, pausedMs: 0 }]);
  await debug.resume();
});

test.concurrent("the pause button holds the time of a job as a breakpoint does", async () => {
  const inspect = await freeAddress();
  await using run = new WorkerRun("blocks-the-loop", { inspect });
  await run.source.whenReady.promise;
  await using debug = await DebuggerClient.attach(inspect);
  const job = run.source.submit({ executionTimeoutMs: 2_000 });
  await run.logged("blocking");
  await debug.pause();
  await debug.stopped();
  await debug.linger(2_500);
  expect(job.pauses).toHaveLength(1);
  await debug.resume();
  expect(await job.result()).toMatchObject({ kind: "timed-out" });
  expect(job.pauses.at(-1)?.pausedMs).toBeGreaterThanOrEqual(2_500);
});

test("a job and its time continue when the debugger detaches", async () => {
  const inspect = await freeAddress();
  await using run = new WorkerRun(HANDLER, { inspect });
  await run.source.whenReady.promise;
  const debug = await DebuggerClient.attach(inspect);
  const job = run.source.submit({ input: { forever: true }, executionTimeoutMs: 500 });
  await debug.stopped();
  await debug[Symbol.asyncDispose]();
  expect(await job.result()).toMatchObject({ kind: "timed-out" });
});

test("without a debugger no job pauses, and a job is TIMED_OUT as usual", async () => {
  await using run = new WorkerRun(HANDLER, { inspect: await freeAddress() });
  expect(await run.source.submit().result()).toMatchObject({ kind: "completed" });
  const job = run.source.submit({ input: { forever: true }, executionTimeoutMs: 300 });
  expect(await job.result()).toMatchObject({ kind: "timed-out" });
});

test.concurrent("a job that must end has its grace when the debugger lets it continue, and keeps its process", async () => {
  const inspect = await freeAddress();
  await using run = new WorkerRun(HANDLER, { inspect, graceMs: 2_000 });
  await run.source.whenReady.promise;
  const pid = run.worker.handlerPid;
  await using debug = await DebuggerClient.attach(inspect);
  const job = run.source.submit({ input: { whenAborted: true }, executionTimeoutMs: 50 });
  await debug.stopped();
  expect(await job.result()).toMatchObject({ kind: "timed-out" });
  await debug.linger(2_500);
  await debug.resume();
  await run.logged("goes on");
  const next = run.source.submit();
  await debug.stopped();
  await debug.resume();
  expect(await next.result()).toMatchObject({ output: { pid } });
});

test.concurrent("a setup at a breakpoint does not reach its limit", async () => {
  const inspect = await freeAddress();
  await using run = new WorkerRun(HANDLER, {
    inspect,
    initLimitMs: 4_000,
    env: { TEST_STOP_IN_SETUP: "1" },
  });
  await run.logged("setting up");
  await using debug = await DebuggerClient.attach(inspect);
  await debug.evaluate("isWatched = true");
  await debug.stopped();
  await debug.linger(4_500);
  await debug.resume();
  expect(await run.source.whenReady.promise).toBe(1);
});

test("a process killed at a breakpoint counts as lost, and the next job's time runs", async () => {
  const inspect = await freeAddress();
  await using run = new WorkerRun(HANDLER, { inspect });
  await run.source.whenReady.promise;
  await using debug = await DebuggerClient.attach(inspect);
  const job = run.source.submit();
  await debug.stopped();
  process.kill(run.worker.handlerPid ?? 0, "SIGKILL");
  expect(await job.result()).toMatchObject({ kind: "lost", failure: { signal: "SIGKILL" } });
  const next = run.source.submit({ input: { forever: true }, executionTimeoutMs: 300 });
  expect(await next.result()).toMatchObject({ kind: "timed-out" });
});

test("a worker that must end does not wait for a debugger", async () => {
  const inspect = await freeAddress();
  await using run = new WorkerRun(HANDLER, { inspect, drainLimitMs: 50 });
  await run.source.whenReady.promise;
  await using debug = await DebuggerClient.attach(inspect);
  const job = run.source.submit();
  await debug.stopped();
  run.worker.drain();
  expect(await job.result()).toEqual({ kind: "handed-back" });
  expect(await run.worker.ended).toBe("drained");
});
