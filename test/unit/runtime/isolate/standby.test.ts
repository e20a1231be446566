/** A standby process takes over from a handler process that ends, is replaced, and always ends with its worker. */
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { WorkerRun } from "../worker-run.ts";

const exit = { input: { exit: true } };

/** Its process id; its start is not reported, so the test polls it. */
async function standbyOf({ worker }: WorkerRun): Promise<number> {
  for (;;) {
    if (worker.standbyPid !== undefined) return worker.standbyPid;
    await new Promise((look) => setImmediate(look));
  }
}

function timesSetUp(run: WorkerRun): number {
  return run.log.filter(({ msg }) => msg === "set up").length;
}

describe("an idle standby process", () => {
  test("loads nothing until it takes over, and is then replaced", async () => {
    await using run = new WorkerRun("says-when-set-up", { standby: "idle", standbyDelayMs: 0 });
    await run.source.submit().result();
    const standby = await standbyOf(run);
    expect(run.processes()).toHaveLength(2);
    expect(await run.source.submit(exit).result()).toMatchObject({ kind: "lost" });
    expect(await run.source.submit().result()).toEqual({ kind: "completed", output: standby });
    const next = await standbyOf(run);
    expect(next).not.toBe(standby);
    // One entry per process that worked; none for the standby.
    expect(timesSetUp(run)).toBe(2);
  });

  test("starts by default, some time after the first job has begun", async () => {
    await using run = new WorkerRun("says-when-set-up", { standbyDelayMs: 1_000 });
    await run.source.submit().result();
    expect(run.worker.standbyPid).toBeUndefined();
    expect(await standbyOf(run)).not.toBe(run.worker.handlerPid);
  });

  test("does not start before the first job", async () => {
    await using run = new WorkerRun("says-when-set-up", { standbyDelayMs: 0 });
    await run.source.whenReady.promise;
    await delay(1);
    expect(run.worker.standbyPid).toBeUndefined();
  });

  test("does not start where memory is short", async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const availableBytes = () => {
      resolve();
      return 500_000_000;
    };
    await using run = new WorkerRun("says-when-set-up", { standbyDelayMs: 0, availableBytes });
    await run.source.submit().result();
    await asked;
    expect(run.worker.standbyPid).toBeUndefined();
  });
});

describe("a loaded standby process", () => {
  test("has run its setup before it takes over", async () => {
    await using run = new WorkerRun("says-when-set-up", { standby: "loaded", standbyDelayMs: 0 });
    await run.logged("set up", 2);
    const standby = await standbyOf(run);
    await run.source.submit(exit).result();
    expect(await run.source.submit().result()).toEqual({ kind: "completed", output: standby });
    await run.logged("set up", 3);
  });

  test("with a failed setup does not harm the worker: a new process takes over instead", async () => {
    const dir = await fs.mkdtemp(path.join(os.tmpdir(), "sv-standby-"));
    const file = path.join(dir, "handler.mjs");
    const source = `import fs from "node:fs";
      const lock = new URL("lock", import.meta.url);
      export function setup() { fs.writeFileSync(lock, "", { flag: "wx" }); }
      export default ({ input }) => {
        if (!input.exit) return process.pid;
        fs.rmSync(lock);
        process.exit(1);
      };`;
    await fs.writeFile(file, source);
    await using run = new WorkerRun(file, { standby: "loaded", standbyDelayMs: 0 });
    const warning = (): string | undefined => run.log.find(({ level }) => level === "warn")?.msg;
    while (warning() === undefined) await new Promise((look) => setImmediate(look));
    expect(warning()).toMatch(
      /^a standby handler process ended: setup of handler.mjs failed: EEXIST/,
    );
    expect(await run.source.submit().result()).toMatchObject({ output: run.worker.handlerPid });
    await run.source.submit(exit).result();
    expect(await run.source.submit().result()).toMatchObject({ kind: "completed" });
    await fs.rm(dir, { recursive: true });
  });
});

describe("a loaded standby process that was never needed", () => {
  const options = { standby: "loaded", standbyDelayMs: 0 } as const;
  const disposedOf = (run: WorkerRun): number =>
    run.log.filter(({ msg }) => msg === "disposed of after 0 jobs").length;

  test("disposes of its state when the worker leaves", async () => {
    await using run = new WorkerRun("keeps-a-state", { ...options, graceMs: 10_000 });
    await run.logged("a standby handler process is ready");
    run.worker.drain();
    expect(await run.worker.ended).toBe("drained");
    expect(disposedOf(run)).toBe(2);
  });

  test("is ended after the grace when its dispose hangs", async () => {
    await using run = new WorkerRun("keeps-a-state", {
      ...options,
      graceMs: 1_000,
      env: { TEST_DISPOSE: "hangs" },
    });
    await run.logged("a standby handler process is ready");
    run.worker.drain();
    expect(await run.worker.ended).toBe("drained");
    expect(disposedOf(run)).toBe(2);
  });

  test("does not dispose when the worker stops at once", async () => {
    await using run = new WorkerRun("keeps-a-state", {
      ...options,
      graceMs: 600_000,
      env: { TEST_DISPOSE: "hangs" },
    });
    await run.logged("a standby handler process is ready");
    run.worker.drain();
    await run.logged("disposed of after 0 jobs", 2);
    run.worker.stop();
    expect(await run.worker.ended).toBe("stopped");
  });
});

test("without a standby there is only one process, and the next one starts after its end", async () => {
  await using run = new WorkerRun("says-when-set-up", { standby: "none", standbyDelayMs: 0 });
  const first = await run.source.submit().result();
  expect(run.processes()).toEqual([first["output"]]);
  await run.source.submit(exit).result();
  expect(run.worker.standbyPid).toBeUndefined();
  expect(await run.source.submit().result()).not.toEqual(first);
});

test("a killed standby process costs no attempt, and is replaced with the next takeover", async () => {
  await using run = new WorkerRun("says-when-set-up", { standbyDelayMs: 0 });
  await run.source.submit().result();
  process.kill(await standbyOf(run), "SIGKILL");
  await run.logged(
    "a standby handler process ended: The handler process was ended by SIGKILL before the handler was ready.",
  );
  expect(run.worker.standbyPid).toBeUndefined();
  await run.source.submit(exit).result();
  expect(await run.source.submit().result()).toMatchObject({ output: run.worker.handlerPid });
  await standbyOf(run);
});

test("a worker that has drained leaves no standby process behind", async () => {
  await using run = new WorkerRun("says-when-set-up", { standbyDelayMs: 0 });
  await run.source.submit().result();
  await standbyOf(run);
  run.worker.drain();
  expect(await run.worker.ended).toBe("drained");
  expect(run.processes()).toEqual([]);
});
