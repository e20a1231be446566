/** Promises of a definition, kept through a real handler process: schemas, state, refresh, concurrency, directories. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { TestLease } from "../memory-job-source.ts";
import { eventually } from "../../../e2e/jobs/observe.ts";
import { WorkerRun } from "../worker-run.ts";

describe("schemas", () => {
  test("the handler gets the output of the input schema, the client the output of the output schema", async () => {
    await using run = new WorkerRun("checks-its-schemas");
    expect(await run.source.submit({ input: { count: "7" } }).result()).toEqual({
      kind: "completed",
      output: { total: 7, unit: "things" },
    });
  });

  test("an invalid input fails the job with its issues before the handler is called", async () => {
    await using run = new WorkerRun("checks-its-schemas");
    const job = run.source.submit({ input: { count: 7, names: ["a", 1] } });
    expect(await job.result()).toEqual({
      kind: "failed",
      failure: {
        type: "invalid_input",
        message:
          "The input does not fit the handler's schema: count: Invalid input: expected string, received number; " +
          "names.1: Invalid input: expected string, received number",
      },
    });
    const refused = run.source.submit({ input: { count: "100" } });
    expect(await refused.result()).toMatchObject({
      failure: { type: "invalid_input", message: expect.stringContaining("more than there are") },
    });
    expect(run.printed(job.jobId)).toEqual([]);
    expect(run.printed(refused.jobId)).toEqual([]);
  });

  test("the worker reports schemas as JSON Schemas when the handler is ready, or that there are none", async () => {
    await using run = new WorkerRun("checks-its-schemas");
    await using other = new WorkerRun("echo");
    expect(await eventually("the schemas are told", () => run.source.described[0])).toMatchObject({
      input: { type: "object", properties: { count: { type: "string" } }, required: ["count"] },
      output: { properties: { total: { type: "number" }, unit: { default: "things" } } },
    });
    expect(await eventually("so is that there are none", () => other.source.described[0])).toEqual(
      {},
    );
  });

  test("an invalid output fails the job with its issues", async () => {
    await using run = new WorkerRun("checks-its-schemas");
    const job = run.source.submit({ input: { count: "7", names: ["wrong"] } });
    expect(await job.result()).toEqual({
      kind: "failed",
      failure: {
        type: "invalid_output",
        message:
          "The output does not fit the handler's schema: total: Invalid input: expected number, received string",
        lastLogLines: ["called"],
      },
    });
  });
});

describe("setup and dispose", () => {
  test("run once in a process, with the state between them", async () => {
    await using run = new WorkerRun("keeps-a-state");
    expect(await run.source.submit().result()).toMatchObject({ output: { jobs: 1 } });
    expect(await run.source.submit().result()).toMatchObject({ output: { jobs: 2 } });
    run.worker.drain();
    expect(await run.worker.ended).toBe("drained");
    expect(run.printed(undefined)).toEqual(["set up", "disposed of after 2 jobs"]);
    const [entry] = run.log.filter(({ msg }) => msg === "set up");
    expect(entry).toMatchObject({ level: "info", fields: { fields: { by: "setup" } } });
  });

  test.each([
    ["throws", ["dispose failed: nothing to dispose of"]],
    ["hangs", []],
  ])("a dispose that %s does not delay the end", async (how, says) => {
    await using run = new WorkerRun("keeps-a-state", { env: { TEST_DISPOSE: how } });
    await run.source.submit().result();
    run.worker.drain();
    expect(await run.worker.ended).toBe("drained");
    // Output of a handler and messages about it use different pipes.
    expect(run.printed(undefined).toSorted()).toEqual(
      ["set up", "disposed of after 1 jobs", ...says].toSorted(),
    );
  });

  test("a process that is ended with a job in it exits without dispose", async () => {
    await using run = new WorkerRun("keeps-a-state", { drainLimitMs: 1 });
    const job = run.source.submit({ input: { wait: true } });
    await run.logged("begun");
    run.worker.drain();
    expect(await job.result()).toEqual({ kind: "handed-back" });
    await run.worker.ended;
    expect(run.printed(undefined)).toEqual(["set up"]);
  });
});

describe("refresh", () => {
  test("replaces the process after the job; the next job runs in the fresh one", async () => {
    await using run = new WorkerRun("keeps-a-state");
    const first = await run.source.submit({ input: { refresh: true } }).result();
    const second = await run.source.submit().result();
    expect(first).toMatchObject({ output: { jobs: 1 } });
    expect(second).toMatchObject({ output: { jobs: 1 } });
    await run.logged("disposed of after 1 jobs");
    expect(pidOf(second)).not.toBe(pidOf(first));
    expect(run.printed(undefined)).toEqual(["set up", "disposed of after 1 jobs", "set up"]);
  });

  test("a failed job may request it as well", async () => {
    await using run = new WorkerRun("keeps-a-state");
    const failed = run.source.submit({ input: { refresh: true, fail: true } });
    expect(await failed.result()).toMatchObject({ kind: "failed" });
    expect(await run.source.submit().result()).toMatchObject({ output: { jobs: 1 } });
  });

  test("other jobs finish first, and no further job begins beside them", async () => {
    await using run = new WorkerRun("keeps-a-state");
    const neighbour = run.source.submit({ input: { wait: true } });
    await run.logged("begun");
    const old = run.worker.handlerPid;
    await run.source.submit({ input: { refresh: true } }).result();
    const next = run.source.submit();
    revoke(run, neighbour);
    expect(await next.result()).toMatchObject({ output: { jobs: 1 } });
    await run.logged("disposed of after 2 jobs");
    expect(run.worker.handlerPid).not.toBe(old);
    expect(run.printed(undefined)).toEqual(["set up", "disposed of after 2 jobs", "set up"]);
  });

  test("a job in transit to the old process goes back without losing an attempt", async () => {
    await using run = new WorkerRun("keeps-a-state");
    await run.source.whenReady.promise;
    const [refreshing, late] = [{ refresh: true }, {}].map((input) => run.source.submit({ input }));
    expect(await refreshing?.result()).toMatchObject({ output: { jobs: 1 } });
    expect(await late?.result()).toEqual({ kind: "handed-back" });
  });
});

describe("concurrency as a function", () => {
  test("is called after setup and after each job, and its value is applied", async () => {
    await using run = new WorkerRun("wishes-its-concurrency");
    expect(await run.source.whenReady.promise).toBe(2);
    await granted(run, 2);
    await run.source.submit({ input: { wish: 4 } }).result();
    await granted(run, 4);
    expect(run.source.announced).toEqual([2, 4]);
  });

  test("jobs requested before its value fell go back without losing an attempt", async () => {
    await using run = new WorkerRun("wishes-its-concurrency");
    await granted(run, 2);
    await run.source.submit({ input: { wish: 1 } }).result();
    await run.source.hasAnnounced(2);
    const first = run.source.submit({ input: { wait: true } });
    // The slot of the previous job may or may not have been offered again by then.
    const unasked = run.source.credit === 0;
    const second = run.source.submit({ input: { wait: true }, unasked });
    expect(await second.result()).toEqual({ kind: "handed-back" });
    revoke(run, first);
    await granted(run, 1);
  });

  test.each([
    [0, "`concurrency` returned 0, not a whole number of at least 1; it stays at 2."],
    ["many", "`concurrency` returned 'many', not a whole number of at least 1; it stays at 2."],
    ["throw", "`concurrency` threw: no idea after 2; it stays at 2."],
  ])("%j is logged and changes nothing", async (wish, says) => {
    await using run = new WorkerRun("wishes-its-concurrency");
    await run.source.submit({ input: { wish } }).result();
    await run.logged(says);
    expect(run.source.announced).toEqual([2]);
  });
});

describe("a job's own directory", () => {
  test.each([
    [{}, "completed"],
    [{ fail: true }, "failed"],
    [{ exit: true }, "lost"],
    [{ block: true }, "timed-out"],
  ])("%j: exists while the job runs and is removed afterwards", async (more, kind) => {
    await using run = new WorkerRun("keeps-a-state", { graceMs: 100 });
    const input = { file: true, ...more };
    const result = await run.source.submit({ input, executionTimeoutMs: 2_000 }).result();
    expect(result).toMatchObject({ kind });
    await run.logged("begun");
    await whenGone(path.dirname(madeFile(run)));
  });

  test("a stopped job keeps it until its handler has stopped, and then the worker leaves nothing behind", async () => {
    await using run = new WorkerRun("keeps-a-state");
    const job = run.source.submit({ input: { file: true, wait: true } });
    await run.logged("begun");
    const file = madeFile(run);
    expect(fs.readFileSync(file, "utf8")).toBe("made");
    revoke(run, job);
    await whenGone(path.dirname(file));
    run.worker.drain();
    await run.worker.ended;
    expect(fs.existsSync(path.dirname(path.dirname(file)))).toBe(false);
  });
});

function pidOf(result: Record<string, unknown>): unknown {
  return (result["output"] as { readonly pid: number }).pid;
}

function revoke(run: WorkerRun, { jobId, leaseToken }: TestLease): void {
  run.source.listener.revoked({ jobId, leaseToken, reason: "cancelled" });
}

function madeFile(run: WorkerRun): string {
  const entry = run.log.find(({ msg }) => msg === "begun");
  return (entry?.fields["fields"] as { readonly file: string } | undefined)?.file ?? "";
}

/** Credit that has brought no job yet. */
async function granted(run: WorkerRun, count: number): Promise<void> {
  while (run.source.credit !== count) await new Promise((look) => setImmediate(look));
}

async function whenGone(directory: string): Promise<void> {
  while (fs.existsSync(directory)) await new Promise((look) => setImmediate(look));
}
