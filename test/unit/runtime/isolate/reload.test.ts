/** A new version of the handler runs in a new process, and running jobs finish in the old one. */
import { describe, expect, test } from "vitest";
import { prepareHandler } from "../../../../runtime/load/prepare-handler.ts";
import type { Reload } from "../../../../runtime/protocol/session.ts";
import { Gate } from "../../../e2e/jobs/gate.ts";
import { fixture, WorkerRun } from "../worker-run.ts";

async function reloadOf(name: string, version: number): Promise<Reload> {
  return { version, ...(await prepareHandler(fixture(name))) };
}

/** Waits for the standby process of a worker, which is not reported. */
async function standbyOf({ worker }: WorkerRun): Promise<number> {
  for (;;) {
    if (worker.standbyPid !== undefined) return worker.standbyPid;
    await new Promise((look) => setImmediate(look));
  }
}

async function pidOf(run: WorkerRun): Promise<unknown> {
  const { output } = await run.source.submit().result();
  return output;
}

describe("a new version", () => {
  test("starts in the idle standby process, which is replaced", async () => {
    await using run = new WorkerRun("disposes-of-itself", { standbyDelayMs: 0 });
    const first = await pidOf(run);
    const standby = await standbyOf(run);
    run.source.reload(await reloadOf("disposes-of-itself", 2));
    await run.source.hasReloaded(2);
    expect(await pidOf(run)).toBe(standby);
    expect(standby).not.toBe(first);
    expect(await standbyOf(run)).not.toBe(standby);
  });

  test("gets new jobs while running ones finish in the previous process, which then disposes of its state", async () => {
    await using gate = await Gate.build();
    await using run = new WorkerRun("disposes-of-itself");
    const first = await pidOf(run);
    const running = run.source.submit({ input: gate.input("old") });
    await gate.arrival("old");
    run.source.reload(await reloadOf("disposes-of-itself", 2));
    await run.source.hasReloaded(2);
    expect(await pidOf(run)).not.toBe(first);
    expect(run.log.some(({ msg }) => msg === "disposed of")).toBe(false);
    await gate.open("old");
    expect(await running.result()).toEqual({ kind: "completed", output: first });
    await run.logged("disposed of");
  });

  test("replaces a previous version that is not ready yet", async () => {
    await using run = new WorkerRun("setup-takes-its-signal");
    await run.logged("setting up");
    run.source.reload(await reloadOf("disposes-of-itself", 2));
    await run.source.hasReloaded(2);
    expect(await pidOf(run)).toBe(run.worker.handlerPid);
    run.source.reload(await reloadOf("setup-takes-its-signal", 3));
    await run.logged("setting up", 2);
    run.source.reload(await reloadOf("disposes-of-itself", 4));
    await run.source.hasReloaded(4);
    expect(await pidOf(run)).toBe(run.worker.handlerPid);
  });

  test("that was sent twice, because its answer was lost, is only answered", async () => {
    await using run = new WorkerRun("disposes-of-itself");
    await run.source.whenReady.promise;
    const reload = await reloadOf("disposes-of-itself", 2);
    run.source.reload(reload);
    await run.source.hasReloaded(2);
    const pid = await pidOf(run);
    const answered = run.source.hasReloaded(2);
    run.source.reload(reload);
    await answered;
    expect(await pidOf(run)).toBe(pid);
  });
});

describe("a version that cannot be made ready", () => {
  test("leaves the previous version in service, reports why, and the next one takes over", async () => {
    await using run = new WorkerRun("disposes-of-itself", { standbyDelayMs: 0 });
    const first = await pidOf(run);
    await standbyOf(run);
    run.source.reload(await reloadOf("setup-throws", 2));
    await run.source.hasReloaded(2);
    expect(run.log.filter(({ level }) => level === "error").map(({ msg }) => msg)).toEqual([
      "setup of setup-throws.ts failed: model.safetensors is cut off\nThe previous version stays in service.",
    ]);
    expect(await pidOf(run)).toBe(first);
    await standbyOf(run);
    run.source.reload(await reloadOf("disposes-of-itself", 3));
    await run.source.hasReloaded(3);
    expect(await pidOf(run)).not.toBe(first);
  });

  test("lets a worker that is not ready yet wait for the previous version", async () => {
    await using run = new WorkerRun("setup-takes-its-signal");
    await run.logged("setting up");
    run.source.reload(await reloadOf("setup-throws", 2));
    // The first process may still become ready.
    await run.logged(
      "setup of setup-throws.ts failed: model.safetensors is cut off\nThe previous version stays in service.",
    );
    expect(run.source.reloaded).toBeUndefined();
  });
});

describe("the process of a previous version", () => {
  test("that crashes loses its job, and is not started again", async () => {
    await using gate = await Gate.build();
    await using run = new WorkerRun("waits-at-a-gate", { standby: "none" });
    const running = run.source.submit({ input: gate.input("old") });
    await gate.arrival("old");
    const pid = run.worker.handlerPid;
    run.source.reload(await reloadOf("disposes-of-itself", 2));
    await run.source.hasReloaded(2);
    if (pid !== undefined) process.kill(pid, "SIGKILL");
    expect(await running.result()).toMatchObject({ kind: "lost" });
    expect(await pidOf(run)).toBe(run.worker.handlerPid);
    expect(run.processes()).toEqual([run.worker.handlerPid]);
  });

  test("is waited for when the worker drains", async () => {
    await using gate = await Gate.build();
    await using run = new WorkerRun("disposes-of-itself");
    await run.source.whenReady.promise;
    const running = run.source.submit({ input: gate.input("old") });
    await gate.arrival("old");
    run.source.reload(await reloadOf("disposes-of-itself", 2));
    await run.source.hasReloaded(2);
    run.worker.drain();
    await gate.open("old");
    expect(await running.result()).toMatchObject({ kind: "completed" });
    expect(await run.worker.ended).toBe("drained");
  });

  test("keeps its deadlines", async () => {
    await using gate = await Gate.build();
    await using run = new WorkerRun("waits-at-a-gate");
    const input = gate.input("old");
    const running = run.source.submit({ input, executionTimeoutMs: 1_000 });
    await Promise.race([gate.arrival("old"), running.outcome]);
    run.source.reload(await reloadOf("disposes-of-itself", 2));
    expect(await running.result()).toMatchObject({ kind: "timed-out" });
  });
});
