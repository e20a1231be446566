/** Workers that cannot work: they count as unhealthy, and the pause after each round of failures grows. */
import { expect, it } from "vitest";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { FleetScene } from "./fleet-scene.ts";

const CRASH = { exitCode: 1 };

it("the start of workers backs off if a handler crashes after each ready", async () => {
  await using scene = await FleetScene.set({ workersMin: 1 });
  const { clock } = scene.test;
  const waits = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000];
  for (const [position, waitMs] of waits.entries()) {
    await scene.connect(position);
    await scene.exit(position, CRASH);
    expect(await scene.counts()).toMatchObject({ unhealthy: 1, idle: 0 });
    await clock.advance(waitMs - 1);
    expect(scene.launcher.launched).toHaveLength(position + 1);
    await clock.advance(1);
    expect(scene.launcher.launched).toHaveLength(position + 2);
    expect(await scene.counts()).toMatchObject({ unhealthy: 0, initializing: 1 });
  }
});

it("a worker that did a job, or was ready for a minute, is soon replaced after a crash", async () => {
  await using scene = await FleetScene.set({ workersMin: 1 });
  const { clock } = scene.test;
  await scene.exit(0, CRASH);
  await clock.advance(1_000);
  await scene.exit(1, CRASH);
  await clock.advance(2_000);

  const worker = await scene.connect(2);
  await scene.submit();
  await worker.complete(await worker.nextJob(), "done");
  await scene.exit(2, CRASH);
  await clock.advance(1_000);
  expect(scene.launcher.launched).toHaveLength(4);

  const patient = await scene.connect(3);
  for (let past = 0; past < 60_000; past += 5_000) {
    await clock.advance(5_000);
    await patient.report({});
  }
  await scene.exit(3, CRASH);
  await clock.advance(1_000);
  expect(scene.launcher.launched).toHaveLength(5);
});

it("workers that fail together count as one failure, and one tries before the others", async () => {
  await using scene = await FleetScene.set({ workersMin: 3 });
  for (const position of [0, 1, 2]) await scene.exit(position, CRASH);
  expect(await scene.counts()).toMatchObject({ unhealthy: 3 });
  await scene.test.clock.advance(1_000);
  expect(scene.launcher.launched).toHaveLength(4);
  await scene.connect(3);
  expect(scene.launcher.launched).toHaveLength(6);
  expect(await scene.counts()).toMatchObject({ unhealthy: 0, idle: 1, initializing: 2 });
});

it("failures of an old version are dropped, so that a repaired one starts at once", async () => {
  await using scene = await FleetScene.set({ workersMin: 1 });
  for (const [position, waitMs] of [1_000, 2_000, 4_000].entries()) {
    await scene.exit(position, CRASH);
    await scene.test.clock.advance(waitMs);
  }
  await scene.exit(3, CRASH);
  await scene.change({ version: 2 });
  expect(scene.launcher.launched).toHaveLength(5);
  expect(await scene.counts()).toMatchObject({ unhealthy: 0, initializing: 1 });
});

it("a crashed worker is dropped when no job is left", async () => {
  await using scene = await FleetScene.set({ workersMin: 0 });
  await scene.submit();
  for (const [position, waitMs] of [1_000, 1_000].entries()) {
    const worker = await scene.connect(position);
    await worker.nextJob();
    await scene.exit(position, CRASH);
    expect(await scene.counts()).toMatchObject({ unhealthy: 1, running: 0 });
    await scene.test.clock.advance(waitMs * (position + 1));
  }
  expect(await scene.counts()).toMatchObject({ unhealthy: 0, running: 0, initializing: 0 });
});

/** Advances time while the worker renews, like one with a slow initialization. */
async function advanceHeard(scene: FleetScene, position: number, ms: number): Promise<void> {
  const { engine, clock } = scene.test;
  const worker = engine.fleet.find(scene.launcher.at(position).order.workerId);
  for (let past = 0; past < ms; past += 5_000) {
    if (worker) engine.mover.receive(worker)[Symbol.dispose]();
    await clock.advance(Math.min(5_000, ms - past));
  }
}

it("a worker that is not ready after 7 minutes is ended, counts as unhealthy, and is replaced after a pause", async () => {
  await using scene = await FleetScene.set({ workersMin: 1 });
  await advanceHeard(scene, 0, LIMITS.workerInitMs - 1);
  const [script] = scene.launcher.launched;
  expect(script?.wasKilled).toBe(false);
  await scene.test.clock.advance(1);
  expect(script?.wasKilled).toBe(true);
  expect(scene.logged("error")[0]).toBe(
    "worker was not ready 420000 ms after its start (SV_INIT_TIMEOUT in the env of its template sets the limit, in seconds): it is lost and will be ended, its jobs go back to the queue",
  );
  expect(await scene.counts()).toMatchObject({ unhealthy: 1, initializing: 0 });
  await scene.test.clock.advance(1_000);
  expect(scene.launcher.launched).toHaveLength(2);
});

it("a worker has the initialization time of its template, and an invalid value is logged", async () => {
  await using scene = await FleetScene.set();
  await scene.keepEnv({ SV_INIT_TIMEOUT: "1800" });
  await scene.change({ workersMin: 1 });
  await advanceHeard(scene, 0, 1_799_999);
  expect(scene.launcher.at(0).wasKilled).toBe(false);
  await scene.test.clock.advance(1);
  expect(scene.launcher.at(0).wasKilled).toBe(true);
  await scene.keepEnv({ SV_INIT_TIMEOUT: "half an hour" });
  await scene.test.clock.advance(1_000);
  expect(scene.logged("warn")).toEqual([
    'SV_INIT_TIMEOUT must be a whole number of seconds from 1 to 604800; got "half an hour", so the limit is 420',
  ]);
  await advanceHeard(scene, 1, LIMITS.workerInitMs);
  expect(scene.launcher.at(1).wasKilled).toBe(true);
});

it("time in which the service itself was frozen does not count", async () => {
  await using scene = await FleetScene.set({ workersMin: 1 });
  await advanceHeard(scene, 0, 60_000);
  await scene.test.clock.standStill(LIMITS.workerInitMs);
  await advanceHeard(scene, 0, 60_000);
  expect(scene.launcher.at(0).wasKilled).toBe(false);
});

it("a worker that stays after it reported a broken handler, or was told to leave, is ended", async () => {
  await using scene = await FleetScene.set({ workersMin: 2 });
  const [broken, idle] = [await scene.connect(0), await scene.connect(1)];
  await broken.report({ initFailure: { type: "handler_error", message: "no weights" } });
  await scene.change({ workersMin: 1, workersMax: 1 });
  await scene.change({ version: 2 });
  expect(scene.launcher.at(1).wasDrained).toBe(true);
  for (let past = 0; past < LIMITS.workerLeaveMs; past += 5_000) {
    expect(scene.launcher.launched.slice(0, 2)).toMatchObject([
      { wasKilled: false },
      { wasKilled: false },
    ]);
    await broken.report({});
    await idle.report({});
    await scene.test.clock.advance(5_000);
  }
  expect(scene.launcher.launched.slice(0, 2)).toMatchObject([
    { wasKilled: true },
    { wasKilled: true },
  ]);
});

it("a worker gets no job for a report that is read only after its process ended", async () => {
  await using scene = await FleetScene.set({ workersMax: 1 });
  await scene.submit();
  const worker = await scene.connect(0);
  await worker.complete(await worker.nextJob());
  await scene.exit(0, CRASH);
  await worker.report({ initFailure: { type: "handler_error", message: "too late" } });
  await worker.report({ ready: { concurrency: 1 }, credit: 1 });
  expect(await scene.counts()).toMatchObject({ unhealthy: 1, idle: 0 });
  expect(await scene.statusOf(await scene.submit())).toBe("IN_QUEUE");
});
