/** A worker's life: its start, its failures, its end, and that nothing of it is left. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { fixture, tracedProcesses, WorkerRun } from "./worker-run.ts";
import { ownResidentBytes } from "../../setup/proc.ts";

describe("a handler that cannot be made ready", () => {
  test.each([
    ["import-fails", "import-fails.ts cannot be imported: the weights are not here"],
    ["setup-throws", "setup of setup-throws.ts failed: model.safetensors is cut off"],
  ])("%s: is reported with the handler's own error and stack", async (name, message) => {
    await using run = new WorkerRun(name);
    expect(await run.source.initFailure.promise).toEqual({
      type: "handler_error",
      message,
      stack: expect.stringContaining(`${name}.ts`),
    });
    expect(await run.worker.ended).toBe("handler-unusable");
    expect(run.source.isClosed).toBe(true);
  });

  test("no-default-export: is reported with what to add", async () => {
    await using run = new WorkerRun("no-default-export");
    expect(await run.source.initFailure.promise).toEqual({
      type: "handler_error",
      message:
        "no-default-export.ts has no default export: add `export default async function (job, context) { … }`.",
    });
  });

  test("setup-hangs: is reported at its limit", async () => {
    await using run = new WorkerRun("setup-hangs", { initLimitMs: 300 });
    expect(await run.source.initFailure.promise).toMatchObject({
      message: "The handler was not ready after 0.3 s: its module or its setup takes too long.",
    });
    expect(await run.worker.ended).toBe("handler-unusable");
  });

  test("setup-hangs: is reported even if its limit ended before the service could be asked", async () => {
    const asked = Promise.withResolvers<void>();
    await using run = new WorkerRun("setup-hangs", {
      initLimitMs: 1,
      openSource: async () => {
        await asked.promise;
        return run.source;
      },
    });
    await run.logged(
      "The handler was not ready after 0.001 s: its module or its setup takes too long.",
    );
    asked.resolve();
    expect(await run.source.initFailure.promise).toMatchObject({
      message: expect.stringContaining("The handler was not ready after"),
    });
    expect(await run.worker.ended).toBe("handler-unusable");
  });

  test("a missing file is named", async () => {
    await using run = new WorkerRun("/nowhere/handler.ts");
    expect(await run.source.initFailure.promise).toMatchObject({
      message: "There is no file or directory /nowhere/handler.ts.",
    });
  });

  test("a process that ends while it loads is reported with its exit and last lines", async () => {
    const dir = await fs.mkdtemp(path.join(os.tmpdir(), "sv-dies-"));
    const file = path.join(dir, "handler.mjs");
    await fs.writeFile(file, `console.log("loading"); process.exit(9); export default () => 1;`);
    await using run = new WorkerRun(file);
    expect(await run.source.initFailure.promise).toEqual({
      type: "process_exited",
      message: "The handler process exited with code 9 before the handler was ready.",
      exitCode: 9,
      lastLogLines: ["loading"],
    });
    await fs.rm(dir, { recursive: true });
  });

  test("a handler that was ready before is retried until it is ready again; its jobs go back meanwhile", async () => {
    const dir = await fs.mkdtemp(path.join(os.tmpdir(), "sv-flaky-"));
    const file = path.join(dir, "handler.mjs");
    const good = `export default ({ input }) => (input.exit ? process.exit(1) : "good");`;
    await fs.writeFile(file, good);
    await using run = new WorkerRun(file);
    await run.source.whenReady.promise;
    await fs.writeFile(file, "export default 7;");
    const job = run.source.submit({ input: { exit: true } });
    expect(await job.result()).toMatchObject({ kind: "lost", failure: { exitCode: 1 } });
    const message =
      "The default export of handler.mjs is number 7: it must be a function, or an object from defineHandler with a " +
      "function `run`.";
    await run.logged(message);
    await fs.writeFile(file, good);
    expect(await run.source.submit().result()).toMatchObject({ output: "good" });
    await fs.rm(dir, { recursive: true });
  });
});

describe("draining", () => {
  test("takes no further job, finishes the running ones, and ends", async () => {
    await using run = new WorkerRun("async-generator");
    const job = run.source.submit({ input: { count: 300 } });
    await job.hasChunks(1);
    run.worker.drain();
    expect(run.source.isDraining).toBe(true);
    run.source.listener.job({ ...lateJob, executionTimeoutMs: 1000 });
    expect(await job.result()).toMatchObject({ kind: "completed" });
    expect(await run.worker.ended).toBe("drained");
    expect(run.source.isClosed).toBe(true);
    expect(run.processes()).toEqual([]);
  });

  test("hands back jobs that do not finish within its limit", async () => {
    await using run = new WorkerRun("forever", { drainLimitMs: 50 });
    const job = run.source.submit();
    await run.logged("waiting");
    run.worker.drain();
    expect(await job.result()).toEqual({ kind: "handed-back" });
    expect(await run.worker.ended).toBe("drained");
  });

  test("starts no further process after the last job's has ended", async () => {
    await using run = new WorkerRun("exits-7");
    const job = run.source.submit({ input: { wait: true } });
    await run.logged("waiting");
    run.worker.drain();
    process.kill(run.worker.handlerPid ?? 0, "SIGKILL");
    expect(await job.result()).toMatchObject({ kind: "lost" });
    expect(await run.worker.ended).toBe("drained");
    expect(run.worker.handlerPid).toBeUndefined();
    expect(run.processes()).toEqual([]);
  });

  test("ends a worker without jobs at once, also before it is ready", async () => {
    await using run = new WorkerRun("echo");
    run.worker.drain();
    expect(await run.worker.ended).toBe("drained");
  });

  test("can be requested by the service", async () => {
    await using run = new WorkerRun("echo");
    await run.source.whenReady.promise;
    run.source.listener.drain();
    expect(await run.worker.ended).toBe("drained");
  });

  test("hands back all jobs at once on a stop", async () => {
    await using run = new WorkerRun("ignores-sigterm");
    const job = run.source.submit();
    await run.logged("waiting");
    run.worker.drain();
    run.worker.stop();
    expect(await job.result()).toEqual({ kind: "handed-back" });
    expect(await run.worker.ended).toBe("stopped");
  });
});

test("a refused worker ends its handler process and says why", async () => {
  await using run = new WorkerRun("echo");
  await run.source.whenReady.promise;
  run.source.listener.refused("UNAUTHENTICATED: unknown token");
  expect(await run.worker.ended).toBe("refused");
  await run.logged("the service refused this worker: UNAUTHENTICATED: unknown token");
});

describe("printing", () => {
  test("of a gigabyte neither blocks the job nor fills memory", async () => {
    await using run = new WorkerRun("prints-a-gigabyte");
    await run.source.whenReady.promise;
    const before = ownResidentBytes();
    const job = run.source.submit({ input: { bytes: 1_000_000_000, lineBytes: 1_000 } });
    const result = await job.result();
    expect(result).toMatchObject({ kind: "completed" });
    expect(result).toHaveProperty(
      "output.heldBytes",
      expect.toSatisfy((n) => n < 400_000_000),
    );
    expect(ownResidentBytes() - before).toBeLessThan(200_000_000);
  });

  test("of an endless line is cut, and lines have their job", async () => {
    await using run = new WorkerRun("prints-a-gigabyte");
    const job = run.source.submit({ input: { bytes: 20_000, lineBytes: 20_000 } });
    await job.result();
    await run.logged("the end");
    const [long = "", last] = run.printed(job.jobId);
    expect(long).toMatch(/^x+ \[cut\]$/u);
    expect(long.length).toBeLessThan(8_300);
    expect(last).toBe("the end");
  });
});

describe("a supervisor that is killed", () => {
  test.each(["blocks-the-loop", "forks-a-child"])(
    "ends its handler process, the standby and all their processes, even with %s",
    async (name) => {
      const trace = randomUUID();
      const supervisor = path.resolve(import.meta.dirname, "lone-supervisor.ts");
      const child = spawn(process.execPath, [supervisor, fixture(name)], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, SV_TEST_TRACE: trace },
      });
      await once(child.stdout, "data");
      const expected = name === "forks-a-child" ? 5 : 3;
      while (tracedProcesses(trace).length < expected) {
        await new Promise((look) => setImmediate(look));
      }
      child.kill("SIGKILL");
      await once(child, "exit");
      // The test must poll for the end of another process's child.
      while (tracedProcesses(trace).length > 0) await new Promise((look) => setImmediate(look));
      expect(tracedProcesses(trace)).toEqual([]);
    },
  );

  test("leaves its jobs' directories to the next one, which removes them but not its own", async () => {
    await using tree = await temporaryTree({});
    const supervisor = path.resolve(import.meta.dirname, "lone-supervisor.ts");
    const job = JSON.stringify({ file: true, wait: true });
    const start = async () => {
      const child = spawn(process.execPath, [supervisor, fixture("keeps-a-state"), job], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, TMPDIR: tree.root },
      });
      await once(child.stdout, "data");
      const kill = async (): Promise<void> => {
        child.kill("SIGKILL");
        await once(child, "exit");
      };
      return { kill };
    };
    const directories = async () =>
      (await fs.readdir(tree.root)).filter((name) => name.startsWith("sv-jobs-"));
    const first = await start();
    const left = await directories();
    await first.kill();
    expect(await directories()).toEqual(left);
    const second = await start();
    let now = await directories();
    while (now.includes(left[0] ?? "")) now = await directories();
    expect([left.length, now.length]).toEqual([1, 1]);
    expect(await fs.readFile(tree.path(now[0] ?? "", "1", "made.txt"), "utf8")).toBe("made");
    await second.kill();
  });
});

const lateJob = { jobId: "late", leaseToken: "late", attempt: 1, input: Buffer.from("{}") };
