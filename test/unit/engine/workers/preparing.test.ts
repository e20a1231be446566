/** A worker with an image that is still being pulled: its time limits have not begun. */
import { expect, it } from "vitest";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { FleetScene } from "./fleet-scene.ts";

it("a preparing worker has no time limit, and has its full limits when its program runs", async () => {
  await using scene = await FleetScene.set({ workersMax: 1 });
  const pull = Promise.withResolvers<void>();
  scene.launcher.preparing = pull.promise;
  await scene.submit();
  await scene.test.clock.advance(10 * LIMITS.workerInitMs);
  expect(scene.launcher.launched).toHaveLength(1);
  expect(scene.launcher.at(0).wasKilled).toBe(false);
  expect(await scene.counts()).toMatchObject({ initializing: 1, unhealthy: 0 });
  pull.resolve();
  await scene.settle();
  await scene.test.clock.advance(LIMITS.workerStartMs - 1);
  expect(scene.launcher.at(0).wasKilled).toBe(false);
  await scene.test.clock.advance(1);
  expect(scene.launcher.at(0).wasKilled).toBe(true);
});

it("a preparing worker that must leave has its time to leave, and does not count as silent", async () => {
  await using scene = await FleetScene.set({ workersMax: 1 });
  const pull = Promise.withResolvers<void>();
  scene.launcher.preparing = pull.promise;
  await scene.submit();
  await scene.test.clock.advance(2 * LIMITS.workerStartMs);
  await scene.change({ workersMax: 0 });
  expect(scene.launcher.at(0).wasDrained).toBe(true);
  await scene.test.clock.advance(LIMITS.workerLeaveMs - 1);
  expect(scene.launcher.at(0).wasKilled).toBe(false);
  await scene.test.clock.advance(1);
  expect(scene.launcher.at(0).wasKilled).toBe(true);
});
