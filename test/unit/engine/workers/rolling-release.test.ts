/** A new version of an endpoint: new jobs go to new workers, and running jobs finish first. */
import { expect, it } from "vitest";
import { FleetScene } from "./fleet-scene.ts";

it("idle old workers are stopped at once, and new ones start in their place", async () => {
  await using scene = await FleetScene.set({ workersMin: 2 });
  await scene.connect(0);
  await scene.connect(1);
  await scene.change({ version: 2 });
  const { launched } = scene.launcher;
  expect(launched.map(({ wasDrained }) => wasDrained)).toEqual([true, true, false, false]);
  expect(launched.slice(2).map(({ order }) => order.endpoint.version)).toEqual([2, 2]);
});

it("an old worker that is still starting is stopped", async () => {
  await using scene = await FleetScene.set({ workersMin: 1 });
  await scene.change({ version: 2 });
  expect(scene.launcher.at(0).wasDrained).toBe(true);
  expect(scene.launcher.launched).toHaveLength(2);
});

it("a busy old worker finishes however long it takes, gets no more jobs and then leaves", async () => {
  await using scene = await FleetScene.set({ workersMin: 1, workersMax: 1 });
  const old = await scene.connect(0, 2);
  const first = await scene.submit();
  const job = await old.nextJob();
  await scene.change({ version: 2 });
  const second = await scene.submit();
  await scene.test.clock.settle();
  expect(await scene.statusOf(second)).toBe("IN_QUEUE");

  const fresh = await scene.connect(1);
  expect(await scene.counts()).toMatchObject({ running: 2, idle: 0 });
  await fresh.complete(await fresh.nextJob(), "by the new one");
  expect(await scene.statusOf(second)).toBe("COMPLETED");
  for (let past = 0; past < 120_000; past += 5_000) {
    await scene.test.clock.advance(5_000);
    await old.report({ renewals: [{ jobId: job.jobId, leaseToken: job.leaseToken }] });
    await fresh.report({});
  }
  expect(scene.launcher.at(0)).toMatchObject({ wasDrained: false, wasKilled: false });
  expect(old.orders.some(({ drain }) => drain)).toBe(false);

  await old.complete(job, "by the old one");
  await scene.settle();
  expect(await scene.statusOf(first)).toBe("COMPLETED");
  expect(scene.launcher.at(0).wasDrained).toBe(true);
  expect(old.orders.some(({ drain }) => drain)).toBe(true);
  await scene.exit(0);
  expect(scene.launcher.launched).toHaveLength(2);
  expect(await scene.counts()).toMatchObject({ running: 0, idle: 1 });
});

it("all of workersMax are replaced: more run for a while, but never more of one version", async () => {
  await using scene = await FleetScene.set({ workersMin: 2, workersMax: 2 });
  const old = [await scene.connect(0), await scene.connect(1)];
  for (const worker of old) {
    await scene.submit();
    await worker.nextJob();
  }
  await scene.change({ version: 2 });
  await scene.change({ version: 3 });
  const versions = scene.launcher.launched.map(({ order }) => order.endpoint.version);
  expect(versions).toEqual([1, 1, 2, 2, 3, 3]);
  // Workers of version 2 never had a job.
  expect(scene.launcher.launched.map(({ wasDrained }) => wasDrained)).toEqual([
    ...[false, false],
    ...[true, true],
    ...[false, false],
  ]);
});

it("a change of bounds and idleTimeout needs no new workers and makes no release", async () => {
  await using scene = await FleetScene.set({ workersMin: 1 });
  await scene.connect(0);
  await scene.change({ workersMax: 5, idleTimeout: 7, scalerValue: 2, executionTimeoutMs: 9_000 });
  expect(scene.launcher.at(0).wasDrained).toBe(false);
  expect(scene.launcher.launched).toHaveLength(1);
});

it("busy workers finish when workersMax becomes 0, and then there are no workers", async () => {
  await using scene = await FleetScene.set({ workersMin: 1, workersMax: 1 });
  const worker = await scene.connect(0);
  await scene.submit();
  const job = await worker.nextJob();
  const waiting = await scene.submit();
  await scene.change({ workersMin: 0, workersMax: 0 });
  expect(scene.launcher.at(0).wasDrained).toBe(false);
  await worker.complete(job, "done");
  await worker.grant();
  await scene.settle();
  expect(scene.launcher.at(0).wasDrained).toBe(true);
  await scene.exit(0);
  expect(await scene.statusOf(waiting)).toBe("IN_QUEUE");
  expect(scene.launcher.launched).toHaveLength(1);
});

it("a worker that finishes its jobs is told to leave when the service drains: its time is limited then", async () => {
  await using scene = await FleetScene.set({ workersMin: 1, workersMax: 1 });
  const old = await scene.connect(0);
  await scene.submit();
  await old.nextJob();
  await scene.change({ version: 2 });
  expect(scene.launcher.at(0).wasDrained).toBe(false);
  const stopped = scene.test.workers.stop("drain");
  await scene.settle();
  expect(scene.launcher.at(0).wasDrained).toBe(true);
  await scene.exit(0);
  await scene.exit(1);
  await stopped;
});

it("a worker that leaves by itself is not told to leave: the second order would make it drop its work", async () => {
  await using scene = await FleetScene.set({ workersMin: 1 });
  const worker = await scene.connect(0);
  await worker.report({ draining: true });
  await scene.settle();
  expect(scene.launcher.at(0).wasDrained).toBe(false);
  expect(scene.launcher.launched).toHaveLength(2);
});
