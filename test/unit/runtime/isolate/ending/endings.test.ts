/** A misbehaving handler's job ends with the right cause, the next job runs, and no process is left. */
import { describe, expect, test } from "vitest";
import { MachineStalls } from "../../../../machine-stalls.ts";
import { WorkerRun } from "../../worker-run.ts";

const quick = { input: { quick: true } };

describe("a job that runs out of time", () => {
  test("stops when asked, and keeps its process", async () => {
    await using run = new WorkerRun("forever");
    const before = await run.source.submit(quick).result();
    const job = run.source.submit({ executionTimeoutMs: 200 });
    expect(await job.result()).toEqual({
      kind: "timed-out",
      failure: {
        type: "execution_timeout",
        message: "The job ran longer than its executionTimeout of 200 ms.",
        lastLogLines: ["waiting"],
      },
    });
    expect(await run.source.submit(quick).result()).toEqual(before);
  });

  test("is reported at its deadline even if it blocks the event loop, and the next job runs", async () => {
    await using run = new WorkerRun("blocks-the-loop", { graceMs: 2_000 });
    await run.source.whenReady.promise;
    await using stalls = await MachineStalls.watch();
    const startedAt = performance.now();
    const job = run.source.submit({ executionTimeoutMs: 500 });
    const next = run.source.submit(quick);
    expect(await job.result()).toMatchObject({
      kind: "timed-out",
      failure: { type: "execution_timeout", lastLogLines: ["blocking"] },
    });
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThanOrEqual(500);
    expect(tookMs).toBeLessThan(2_000 + stalls.ms);
    expect(await next.result()).toMatchObject({ kind: "completed" });
  });

  test("loses its process when it ignores the abort, and the other job is handed back", async () => {
    await using run = new WorkerRun("ignores-abort");
    const first = await run.source.submit(quick).result();
    const neighbour = run.source.submit();
    const job = run.source.submit({ executionTimeoutMs: 200 });
    await run.logged("waiting", 2);
    expect(await job.result()).toMatchObject({ kind: "timed-out" });
    expect(await neighbour.result()).toEqual({ kind: "handed-back" });
    const next = await run.source.submit(quick).result();
    expect(next).toMatchObject({ kind: "completed" });
    expect(next).not.toEqual(first);
  });

  test("is killed when it ignores SIGTERM as well", async () => {
    await using run = new WorkerRun("ignores-sigterm");
    const job = run.source.submit({ executionTimeoutMs: 200 });
    const next = run.source.submit(quick);
    expect(await job.result()).toMatchObject({ kind: "timed-out" });
    expect(await next.result()).toMatchObject({ kind: "completed" });
    expect(run.printed(undefined)).toEqual(["not today"]);
  });
});

describe("a revoked job", () => {
  test("is reported as stopped when its handler has stopped, and its place is free again", async () => {
    await using run = new WorkerRun("forever");
    const jobs = [1, 2, 3, 4].map(() => run.source.submit());
    await run.logged("waiting", 4);
    expect(run.source.credit).toBe(0);
    const [revoked] = jobs;
    if (revoked === undefined) throw new Error("There are four.");
    run.source.listener.revoked({ ...leaseOf(revoked), reason: "cancelled" });
    expect(await revoked.result()).toEqual({ kind: "stopped" });
    expect(await run.source.submit(quick).result()).toMatchObject({ kind: "completed" });
  });

  test("ends its process if it does not stop", async () => {
    await using run = new WorkerRun("blocks-the-loop");
    const job = run.source.submit();
    await run.logged("blocking");
    run.source.listener.revoked({ ...leaseOf(job), reason: "expired" });
    expect(await run.source.submit(quick).result()).toMatchObject({ kind: "completed" });
  });
});

describe("a process that ends", () => {
  test("by process.exit costs its caller's job an attempt, and the other jobs none", async () => {
    await using run = new WorkerRun("exits-7");
    const neighbours = [1, 2].map(() => run.source.submit({ input: { wait: true } }));
    await run.logged("waiting", 2);
    const job = run.source.submit();
    expect(await job.result()).toEqual({
      kind: "lost",
      failure: {
        type: "process_exited",
        message:
          "The handler process was ended by the handler's process.exit with code 7 while it worked on the job.",
        exitCode: 7,
        lastLogLines: ["about to exit"],
      },
    });
    for (const each of neighbours) expect(await each.result()).toEqual({ kind: "handed-back" });
    expect(await run.source.submit(quick).result()).toMatchObject({ output: "quick" });
  });

  test("by a signal reports the signal and the last lines", async () => {
    await using run = new WorkerRun("kills-itself");
    const job = run.source.submit();
    expect(await job.result()).toEqual({
      kind: "lost",
      failure: {
        type: "process_exited",
        message: "The handler process was ended by SIGKILL while it worked on the job.",
        signal: "SIGKILL",
        lastLogLines: ["goodbye"],
      },
    });
    expect(await run.source.submit(quick).result()).toMatchObject({ output: "quick" });
  });

  test("for lack of memory has that cause in its report", async () => {
    const env = { NODE_OPTIONS: "--max-old-space-size=32" };
    await using run = new WorkerRun("eats-memory", { env });
    expect(await run.source.submit().result()).toEqual({
      kind: "lost",
      failure: {
        type: "process_exited",
        message: "The handler process ran out of memory while it worked on the job.",
        signal: "SIGABRT",
        outOfMemory: true,
        lastLogLines: expect.arrayContaining([expect.stringContaining("heap out of memory")]),
      },
    });
    expect(await run.source.submit(quick).result()).toMatchObject({ output: "quick" });
  });

  test("without a known culprit hands back all jobs, which then run one at a time until it is found", async () => {
    await using run = new WorkerRun("kills-itself");
    const neighbours = [1, 2].map(() => run.source.submit({ input: { wait: true } }));
    await run.logged("waiting", 2);
    const culprit = run.source.submit();
    for (const each of [...neighbours, culprit]) {
      expect(await each.result()).toEqual({ kind: "handed-back" });
    }
    // The service hands out all jobs again, innocent and guilty.
    const innocent = run.source.submit(quick);
    const again = run.source.submit();
    const after = run.source.submit(quick);
    expect(await innocent.result()).toMatchObject({ kind: "completed" });
    expect(await again.result()).toMatchObject({ kind: "lost", failure: { signal: "SIGKILL" } });
    expect(await after.result()).toMatchObject({ kind: "completed" });
    await run.source.submit(quick).result();
    expect(run.source.credit).toBe(3);
  });

  test("ends the processes that it started, even outside its group", async () => {
    await using run = new WorkerRun("forks-a-child", { standby: "none" });
    const job = run.source.submit({ executionTimeoutMs: 300 });
    await run.logged("waiting");
    expect(run.processes()).toHaveLength(3);
    expect(await job.result()).toMatchObject({ kind: "timed-out" });
    await run.logged("the handler is ready", 1);
    await run.source.submit({ executionTimeoutMs: 300, input: { block: true } }).result();
  });
});

describe("an uncaught error", () => {
  test("fails its job and hands back the other jobs", async () => {
    await using run = new WorkerRun("rejects-later");
    const neighbour = run.source.submit({ input: { wait: true } });
    await run.logged("waiting");
    const job = run.source.submit();
    expect(await job.result()).toMatchObject({
      kind: "failed",
      failure: {
        type: "unhandled_error",
        message: "nobody is listening",
        stack: expect.stringContaining("rejects-later.ts"),
        lastLogLines: ["waiting"],
      },
    });
    expect(await neighbour.result()).toEqual({ kind: "handed-back" });
    expect(await run.source.submit(quick).result()).toMatchObject({ output: "quick" });
  });

  test("of an unknown job hands back all jobs, which then run one at a time until it is found", async () => {
    await using run = new WorkerRun("rejects-later");
    const neighbours = [1, 2, 3].map(() => run.source.submit({ input: { wait: true } }));
    await run.logged("waiting", 3);
    const culprit = run.source.submit({ input: { outside: true } });
    for (const each of [...neighbours, culprit])
      expect(await each.result()).toEqual({ kind: "handed-back" });
    const again = run.source.submit({ input: { outside: true } });
    run.source.submit({ input: { wait: true } });
    const failure = { message: "nobody is listening" };
    expect(await again.result()).toMatchObject({ kind: "failed", failure });
  });

  test("of a finished job is logged, and costs no job an attempt", async () => {
    await using run = new WorkerRun("rejects-later");
    const neighbour = run.source.submit({ input: { wait: true } });
    await run.logged("waiting");
    const job = run.source.submit({ input: { after: true } });
    expect(await job.result()).toMatchObject({ kind: "completed", output: "answered before" });
    expect(await neighbour.result()).toEqual({ kind: "handed-back" });
    await run.logged("An uncaught error ends the handler process: nobody is listening");
    expect(await run.source.submit(quick).result()).toMatchObject({ output: "quick" });
  });
});

function leaseOf({ jobId, leaseToken }: { jobId: string; leaseToken: string }) {
  return { jobId, leaseToken };
}
