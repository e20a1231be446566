/**
 * Live workers that fall silent, report themselves unhealthy, or forget a job. A worker that the service did not
 * start ends by silence.
 */
import { expect, it } from "vitest";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { USER_KEY } from "../http/http-harness.ts";
import { LiveScene } from "./live-scene.ts";
import { storeEndpoint } from "../stored-records.ts";

interface Health {
  readonly workers: Readonly<Record<string, number>>;
}

const workers = async (scene: LiveScene) =>
  ((await scene.service.call("GET", "/v2/echo/health")).json as Health).workers;

it("a worker holds a job as long as its pings name it", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  for (let at = 0; at < 4 * LIMITS.leaseMs; at += 5_000) {
    await scene.worker.ping([id]);
    await scene.advance(5_000);
  }
  expect(await scene.status(id)).toMatchObject({ status: "IN_PROGRESS" });
  await scene.worker.done(id, { output: "at last" });
  expect(await scene.status(id)).toMatchObject({ status: "COMPLETED" });
});

it("a job that pings do not name is queued again, and fails when it is lost again", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  const pingsFor = async (ms: number) => {
    for (let at = 0; at < ms; at += 5_000) {
      await scene.worker.ping(["another"]);
      await scene.advance(5_000);
    }
  };
  await pingsFor(LIMITS.leaseMs);
  expect(await scene.status(id)).toMatchObject({ status: "IN_QUEUE" });
  await scene.worker.ping();
  expect(await scene.worker.take()).toMatchObject({ id });
  await pingsFor(LIMITS.leaseMs);
  const failed = await scene.status(id);
  expect(failed).toMatchObject({ status: "FAILED", retries: 1 });
  expect(failed.error).toBe("job timed out after 1 retries");
  expect(await scene.worker.jobsToStop()).toEqual([id]);
});

it("a worker that never names jobs in its pings keeps its jobs", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  for (let at = 0; at < 4 * LIMITS.leaseMs; at += 5_000) {
    await scene.worker.ping();
    await scene.advance(5_000);
  }
  expect(await scene.status(id)).toMatchObject({ status: "IN_PROGRESS" });
  await scene.worker.done(id, { output: "at last" });
  expect(await scene.status(id)).toMatchObject({ status: "COMPLETED" });
});

it("a worker that has named jobs in its pings loses a job that they no longer name", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  await scene.worker.ping([id]);
  for (let at = 0; at < LIMITS.leaseMs; at += 5_000) {
    await scene.worker.ping();
    await scene.advance(5_000);
  }
  expect(await scene.status(id)).toMatchObject({ status: "IN_QUEUE", retries: 1 });
});

it("a worker started by hand is shown until it has been silent for a lease", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  expect(await workers(scene)).toMatchObject({ running: 1 });
  await scene.worker.done(id, {});
  expect(await workers(scene)).toMatchObject({ idle: 1, running: 0 });
  await scene.advance(2 * LIMITS.leaseMs);
  expect(await workers(scene)).toEqual({
    idle: 0,
    initializing: 0,
    ready: 0,
    running: 0,
    throttled: 0,
    unhealthy: 0,
  });
  expect(scene.service.test.engine.fleet.find("by-hand")).toBeUndefined();
  // The worker can return and gets jobs again.
  await scene.handOut();
  expect(await workers(scene)).toMatchObject({ running: 1 });
});

it("an open poll counts as a sign of life", async () => {
  await using scene = await LiveScene.set();
  for (let polls = 0; polls < 3; polls += 1) await scene.passTime(scene.worker.take());
  expect(await workers(scene)).toMatchObject({ idle: 1 });
});

it("the scaler never ends a worker started by hand, be it idle, outdated or surplus", async () => {
  await using scene = await LiveScene.set();
  const { engine } = scene.service.test;
  await scene.worker.done((await scene.handOut()).id, {});
  const endpoint = engine.directory.endpoint("echo");
  await storeEndpoint(engine, { ...endpoint, version: 7, workersMax: 0, idleTimeout: 1 });
  engine.endpointChanged("echo");
  for (let at = 0; at < 60_000; at += 5_000) {
    await scene.advance(5_000);
    await scene.worker.ping();
  }
  expect(engine.fleet.find("by-hand")?.state).toBe("ready");
  await scene.handOut();
});

it("an unhealthy worker is marked, and its reason logged", async () => {
  await using scene = await LiveScene.set();
  expect((await scene.worker.unhealthy("gpu", "CUDA, error: no kernel & so on")).status).toBe(200);
  expect(scene.logged()).toContain("the check gpu failed: CUDA, error: no kernel & so on");
  expect(await workers(scene)).toMatchObject({ unhealthy: 1, idle: 0 });
});

it("an id of another endpoint's worker is refused, and so is an unknown endpoint", async () => {
  await using scene = await LiveScene.set();
  await scene.service.test.addEndpoint("other");
  await scene.workerNamed("taken", USER_KEY, "other").ping();
  expect((await scene.workerNamed("taken").ping()).status).toBe(401);
  expect((await scene.workerNamed("new", USER_KEY, "nowhere").ping()).status).toBe(404);
});

it("workers of a deleted endpoint are released", async () => {
  await using scene = await LiveScene.set();
  const taken = scene.worker.take();
  await scene.waitsForJobs();
  const { status } = await scene.service.call("DELETE", "/v1/endpoints/echo");
  expect(status).toBe(204);
  expect(await taken).toBeUndefined();
  await expect(scene.passTime(scene.worker.take())).rejects.toThrow("404");
  await scene.advance(2 * LIMITS.leaseMs);
  expect(scene.service.test.engine.fleet.all()).toEqual([]);
});
