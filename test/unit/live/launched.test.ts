/** Live workers started by the service: their ids, their end, and their replacement. */
import { expect, it } from "vitest";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { SdkWorker } from "../../live/sdk-worker.ts";
import { ScriptedLauncher } from "../engine/scripted-launcher.ts";
import { LiveScene } from "./live-scene.ts";
import { storeEndpoint } from "../stored-records.ts";
import { IS_FORWARDED } from "../two-replicas.ts";

/** A service that starts a worker for the waiting job, and the worker. */
async function launchedScene() {
  const launcher = new ScriptedLauncher();
  const scene = await LiveScene.set({ launcher });
  await scene.submit({ n: 0 });
  await scene.advance(0);
  const worker = launchedWorker(scene, launcher, 0);
  return { scene, launcher, worker };
}

function launchedWorker(scene: LiveScene, launcher: ScriptedLauncher, at: number): SdkWorker {
  const { workerId, workerToken } = launcher.at(at).order;
  return scene.workerNamed(workerId, workerToken);
}

it("a worker's token admits it under its own id only", async () => {
  const { scene, launcher, worker } = await launchedScene();
  await using _ = scene;
  expect((await worker.ping()).status).toBe(200);
  await scene.service.test.addEndpoint("other");
  const token = launcher.at(0).order.workerToken;
  expect((await scene.workerNamed("another", token).ping()).status).toBe(401);
  expect((await scene.workerNamed(worker.id, token, "other").ping()).status).toBe(401);
  expect((await scene.workerNamed("another", token).done("any", {})).status).toBe(401);
  expect((await scene.workerNamed(worker.id, "wrong").ping()).status).toBe(401);
  expect((await scene.workerNamed(worker.id, `Bearer ${token}`).ping()).status).toBe(200);
  // URL for workers when the service has a self-made certificate.
  const withFingerprint = `${token}.${"A".repeat(43)}`;
  expect((await scene.workerNamed(worker.id, withFingerprint).ping()).status).toBe(200);
  const asClient = { headers: { authorization: token } };
  expect((await scene.service.call("GET", "/v2/echo/health", asClient)).status).toBe(401);
});

it("a refused worker cannot poll in a loop", async () => {
  await using scene = await LiveScene.set();
  const stranger = scene.workerNamed("stranger", "wrong");
  const { engine, clock } = scene.service.test;
  const armed = clock.armed;
  const taken = stranger.take().catch((error: unknown) => String(error));
  await scene.until(() => clock.armed > armed);
  expect(engine.fleet.all()).toEqual([]);
  expect(await scene.passTime(taken)).toContain("401");
});

it("a worker is ready with its first take", async () => {
  const { scene, worker } = await launchedScene();
  await using _ = scene;
  const fleetWorker = scene.service.test.engine.fleet.find(worker.id);
  await worker.ping();
  expect(fleetWorker?.state).toBe("initializing");
  expect(await worker.take()).toMatchObject({ input: { n: 0 } });
  expect(fleetWorker?.state).toBe("ready");
});

it("a worker with an initial silence has that whole time to become ready", async () => {
  const launcher = new ScriptedLauncher();
  launcher.speaksLate = true;
  await using scene = await LiveScene.set({ launcher });
  await scene.submit({ n: 0 });
  await scene.advance(5 * LIMITS.workerStartMs);
  expect(launcher.at(0).wasKilled).toBe(false);
  expect(await launchedWorker(scene, launcher, 0).take()).toMatchObject({ input: { n: 0 } });
});

it("the polls of a worker that must leave are cut, and it gets no further job", async () => {
  const { scene, launcher, worker } = await launchedScene();
  await using _ = scene;
  const job = await worker.take();
  await worker.done(job?.id ?? "", {});
  const polls = Promise.all([worker.take(), worker.jobsToStop()]);
  await scene.waitsForJobs(worker.id);
  const { engine } = scene.service.test;
  const endpoint = engine.directory.endpoint("echo");
  await storeEndpoint(engine, { ...endpoint, workersMax: 0 });
  engine.endpointChanged("echo");
  expect(await polls).toEqual([undefined, []]);
  expect(launcher.at(0).wasDrained).toBe(true);
  await scene.submit({ n: 1 });
  expect(await scene.passTime(worker.take())).toBeUndefined();
});

it("the polls of a worker that has ended are closed", async () => {
  const { scene, launcher, worker } = await launchedScene();
  await using _ = scene;
  await worker.done((await worker.take())?.id ?? "", {});
  const polls = Promise.all([worker.take(), worker.jobsToStop()]);
  await scene.waitsForJobs(worker.id);
  launcher.at(0).exit({ exitCode: 1 });
  expect(await polls).toEqual([undefined, []]);
  expect((await worker.ping()).status).toBe(401);
});

it("a worker that asks for its replacement with a result is replaced when it holds no job", async () => {
  const { scene, launcher, worker } = await launchedScene();
  await using _ = scene;
  await scene.submit({ n: 1 });
  const [first, second] = await worker.takeBatch(2);
  await worker.done(first?.id ?? "", { output: "fresh, please", stopPod: true });
  await scene.submit({ n: 2 });
  await scene.advance(0);
  expect(launcher.at(0).wasDrained).toBe(false);
  expect(await scene.status(first?.id ?? "")).toMatchObject({
    status: "COMPLETED",
    output: "fresh, please",
  });
  await worker.done(second?.id ?? "", { output: 2 });
  await scene.until(() => launcher.at(0).wasDrained);
  expect(await scene.passTime(worker.take())).toBeUndefined();
  launcher.at(0).leave();
  await scene.until(() => launcher.launched.length === 2);
  const other = launchedWorker(scene, launcher, 1);
  expect(await other.take()).toMatchObject({ input: { n: 2 } });
});

it("the jobs of a worker that has ended go back at once", async () => {
  const { scene, launcher, worker } = await launchedScene();
  await using _ = scene;
  const job = await worker.take();
  launcher.at(0).exit({ exitCode: 137, outOfMemory: true });
  await scene.advance(0);
  expect(await scene.status(job?.id ?? "")).toMatchObject({ status: "IN_QUEUE", retries: 1 });
});

// Launched workers use the port of their own replica.
it.skipIf(IS_FORWARDED)(
  "the service accepts results of draining workers until the last one has ended, then stops",
  async () => {
    const { scene, launcher, worker } = await launchedScene();
    const { service } = scene;
    const job = await worker.take();
    const poll = worker.jobsToStop();
    const { engine, clock } = service.test;
    await scene.until(() => engine.fleet.find(worker.id)?.contact.underWay === 1);
    const stopped = Promise.all([service.http.stop(), service.test.workers.stop("drain")]);
    expect(await poll).toEqual([]);
    const refused = await fetch(`${service.url}/v2/echo/health`, {
      headers: { authorization: "test-key" },
    });
    expect(refused.status).toBe(503);
    expect((await worker.ping([job?.id ?? ""])).status).toBe(200);
    expect((await worker.done(job?.id ?? "", { output: "in time" })).status).toBe(200);
    const kept = await engine.steps.read((reads) => reads.job(job?.id ?? ""));
    expect(kept?.status).toBe("COMPLETED");
    launcher.at(0).leave();
    await clock.settle();
    await stopped;
    await expect(worker.ping()).rejects.toThrow("ECONNREFUSED");
    await service.test.stop();
  },
);
