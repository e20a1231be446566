/** Handlers that crash in native code, never yield or yield too much at once: exact outcomes, and the job after them. */
import { expect, test } from "vitest";
import { STANDBY_MODES, type StandbyMode } from "../../../../../runtime/isolate/standby.ts";
import { WorkerRun } from "../../worker-run.ts";
import { sized } from "../../../../setup/size.ts";

const quick = { input: { quick: true } };

test.each(sized<readonly StandbyMode[]>(["idle"], STANDBY_MODES))(
  "segfaults: the job is lost with the signal and the last lines; standby: %s",
  async (standby) => {
    await using run = new WorkerRun("segfaults", { standby, standbyDelayMs: 0 });
    expect(await run.source.submit().result()).toEqual({
      kind: "lost",
      failure: {
        type: "process_exited",
        message: "The handler process was ended by SIGSEGV while it worked on the job.",
        signal: "SIGSEGV",
        lastLogLines: expect.arrayContaining(["calling the native code"]),
      },
    });
    expect(await run.source.submit(quick).result()).toEqual({ kind: "completed", output: "quick" });
  },
);

test("never-yields: the job is ended at its deadline without a chunk, and loses its process", async () => {
  await using run = new WorkerRun("never-yields");
  await run.source.whenReady.promise;
  const before = run.worker.handlerPid;
  const job = run.source.submit({ executionTimeoutMs: 200 });
  const next = run.source.submit(quick);
  expect(await job.result()).toEqual({
    kind: "timed-out",
    failure: {
      type: "execution_timeout",
      message: "The job ran longer than its executionTimeout of 200 ms.",
      lastLogLines: ["waiting"],
    },
  });
  expect(job.chunks).toEqual([]);
  expect(await next.result()).toEqual({ kind: "completed" });
  expect(next.chunks).toEqual([
    { output: `from ${run.worker.handlerPid}`, metrics: { stream_index: 0 } },
  ]);
  expect(run.worker.handlerPid).not.toBe(before);
});

test("yields-3-mb: both jobs complete in one process, the large yield in parts", async () => {
  await using run = new WorkerRun("yields-3-mb", { standby: "none" });
  const jobs = [run.source.submit(), run.source.submit()];
  for (const job of jobs) {
    expect(await job.result()).toMatchObject({ kind: "completed" });
    expect(job.chunks.length).toBeGreaterThan(5);
  }
  expect(run.processes()).toEqual([run.worker.handlerPid]);
});

test("setup-hangs: the worker reports it at the limit and ends, and nothing of it is left", async () => {
  await using run = new WorkerRun("setup-hangs", { initLimitMs: 300 });
  expect(await run.source.initFailure.promise).toEqual({
    type: "handler_error",
    message: "The handler was not ready after 0.3 s: its module or its setup takes too long.",
  });
  expect(await run.worker.ended).toBe("handler-unusable");
  expect(run.processes()).toEqual([]);
});
