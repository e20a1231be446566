/** Times at which the scaler examines an endpoint, and the cost of that. */
import { expect, it, vi } from "vitest";
import { FleetScene } from "./fleet-scene.ts";

it("QUEUE_DELAY adds a worker every scalerValue seconds while a slow start keeps a job waiting", async () => {
  await using scene = await FleetScene.set({ workersMax: 3, scalerValue: 4 });
  await scene.submit();
  for (const started of [1, 2, 3, 3]) {
    expect(scene.launcher.launched).toHaveLength(started);
    await scene.test.clock.advance(3_999);
    expect(scene.launcher.launched).toHaveLength(started);
    await scene.test.clock.advance(1);
  }
});

it("low priority jobs start no worker, but are handed to an existing one", async () => {
  await using scene = await FleetScene.set();
  const low = [await scene.submit("echo", true), await scene.submit("echo", true)];
  await scene.test.clock.advance(60_000);
  expect(scene.launcher.launched).toHaveLength(0);
  await scene.submit();
  const worker = await scene.connect(0);
  for (const id of low) {
    await worker.complete(await worker.nextJob(), "done");
    await worker.grant();
    expect(await scene.statusOf(id)).toBe("COMPLETED");
  }
  expect(scene.launcher.launched).toHaveLength(1);
});

it("a job that an existing worker can take at once starts no worker", async () => {
  await using scene = await FleetScene.set({ workersMin: 1, scalerType: "REQUEST_COUNT" });
  const worker = await scene.connect(0);
  await scene.submit();
  await worker.nextJob();
  await scene.test.clock.advance(1_000);
  expect(scene.launcher.launched).toHaveLength(1);
});

it("a job that a worker takes and ends at once only postpones the worker's leave", async () => {
  await using scene = await FleetScene.set({ idleTimeout: 10 });
  const { engine, clock } = scene.test;
  await scene.submit();
  const worker = await scene.connect(0);
  await worker.complete(await worker.nextJob(), "done");
  await scene.settle();
  const decided = vi.spyOn(engine.steps, "counts");
  const dueIn = () => engine.clock.noted.map(({ at }) => at - clock.now());
  for (let round = 0; round < 5; round += 1) {
    await clock.advance(1_000);
    await worker.grant();
    await scene.submit();
    const job = await worker.nextJob();
    expect(dueIn()).toEqual([]);
    await worker.complete(job, "done");
    await scene.settle();
    expect(dueIn()).toEqual([10_000]);
  }
  expect(decided).not.toHaveBeenCalled();
  await clock.advance(9_999);
  expect(await scene.counts()).toMatchObject({ idle: 1 });
  await clock.advance(1);
  expect(await scene.counts()).toMatchObject({ idle: 0 });
});

it("the scaler examines 10,000 endpoints once, and then costs nothing while they do not change", async () => {
  await using scene = await FleetScene.set();
  const { engine, clock } = scene.test;
  const asked = { reads: 0 };
  const counts = engine.steps.counts.bind(engine.steps);
  engine.steps.counts = async (id) => {
    asked.reads += 1;
    return counts(id);
  };
  const endpoint = engine.directory.endpoint("echo");
  const ids = Array.from({ length: 10_000 }, (_, number) => `e${number}`);
  await engine.steps.commit((step) => {
    for (const id of ids) step.putRecord("endpoint", id, { ...endpoint, id });
  });
  for (const id of ids) engine.endpointChanged(id);
  while (asked.reads < 10_000) await scene.settle();
  await clock.advance(0);
  const before = { ...asked, armed: clock.armed };
  expect(before.armed).toBeLessThan(10);
  await clock.advance(60_000);
  expect({ ...asked, armed: clock.armed }).toEqual(before);

  await scene.submit("e77");
  const spent = asked.reads - before.reads;
  expect(scene.launcher.launched.map(({ order }) => order.endpoint.id)).toEqual(["e77"]);
  expect(spent).toBeLessThan(10);
});
