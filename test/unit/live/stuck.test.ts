/** Launched workers that are stuck in a job that has ended: their handlers cannot be interrupted. */
import { expect, it } from "vitest";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { SdkWorker } from "../../live/sdk-worker.ts";
import { ScriptedLauncher } from "../engine/scripted-launcher.ts";
import { LiveScene } from "./live-scene.ts";
import { storeEndpoint } from "../stored-records.ts";

const POLICY = { executionTimeout: 5_000 };

/** A service with one worker at most, which has taken the first of two jobs. */
async function busyScene() {
  const launcher = new ScriptedLauncher();
  const scene = await LiveScene.set({ launcher });
  const { engine } = scene.service.test;
  const endpoint = engine.directory.endpoint("echo");
  await storeEndpoint(engine, { ...endpoint, workersMax: 1 });
  const id = await scene.submit({ n: 0 }, { policy: POLICY });
  const next = await scene.submit({ n: 1 });
  await scene.advance(0);
  const { workerId, workerToken } = launcher.at(0).order;
  const worker = scene.workerNamed(workerId, workerToken);
  expect(await worker.take()).toMatchObject({ id });
  return { scene, launcher, worker, id, next };
}

/** The handler blocks the worker; only another process can report for it. */
async function pingsFor(scene: LiveScene, worker: SdkWorker, jobId: string, ms: number) {
  for (let at = 0; at < ms; at += 5_000) {
    await worker.ping([jobId]);
    await scene.advance(5_000);
  }
}

it.each(["ran too long", "was cancelled"])(
  "stuck workers are replaced when their job %s, and another worker takes the next job",
  async (why) => {
    const { scene, launcher, worker, id, next } = await busyScene();
    await using _ = scene;
    if (why === "was cancelled") await scene.service.call("POST", `/v2/echo/cancel/${id}`);
    else await pingsFor(scene, worker, id, POLICY.executionTimeout + LIMITS.executionGraceMs);
    const status = why === "was cancelled" ? "CANCELLED" : "TIMED_OUT";
    expect(await scene.status(id)).toMatchObject({ status });
    await pingsFor(scene, worker, id, LIMITS.liveStopMs);
    expect(scene.logged()).toContainEqual(expect.stringContaining("did not ask for jobs within"));
    expect(launcher.at(0).wasDrained).toBe(true);
    const { workerId, workerToken } = launcher.at(1).order;
    expect(await scene.workerNamed(workerId, workerToken).take()).toMatchObject({ id: next });
    await pingsFor(scene, worker, id, LIMITS.workerLeaveMs);
    expect(launcher.at(0).wasKilled).toBe(true);
  },
);

it("workers that request jobs again are kept", async () => {
  const { scene, launcher, worker, id, next } = await busyScene();
  await using _ = scene;
  const told = worker.jobsToStop();
  await scene.service.call("POST", `/v2/echo/cancel/${id}`);
  expect(await told).toEqual([id]);
  expect(await worker.take()).toMatchObject({ id: next });
  await pingsFor(scene, worker, next, 2 * LIMITS.liveStopMs);
  expect(launcher.at(0).wasDrained).toBe(false);
  expect(await scene.status(next)).toMatchObject({ status: "IN_PROGRESS" });
});

it("workers that were started by hand are kept", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  await scene.service.call("POST", `/v2/echo/cancel/${id}`);
  await pingsFor(scene, scene.worker, id, 2 * LIMITS.liveStopMs);
  expect(scene.service.test.engine.fleet.find("by-hand")?.state).toBe("ready");
});

it("workers that have died are not logged as replaced", async () => {
  const { scene, launcher, id } = await busyScene();
  await using _ = scene;
  launcher.at(0).exit({ signal: "SIGKILL" });
  await scene.advance(2 * LIMITS.liveStopMs);
  expect(await scene.status(id)).toMatchObject({ retries: 1 });
  expect(scene.logged()).not.toContainEqual(expect.stringContaining("it is replaced"));
});
