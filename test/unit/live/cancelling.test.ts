/** Live workers learn which jobs they no longer have. */
import { expect, it } from "vitest";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { LiveScene } from "./live-scene.ts";

const cancel = (scene: LiveScene, jobId: string) =>
  scene.service.call("POST", `/v2/echo/cancel/${jobId}`);

it("a worker that polls for stops gets a cancelled job's id, and reports nothing more about it", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  const stops = scene.worker.jobsToStop();
  await cancel(scene, id);
  expect(await stops).toEqual([id]);
  await scene.worker.ping();
  expect(await scene.status(id)).toMatchObject({ status: "CANCELLED", workerId: "by-hand" });
  expect(await scene.status(id)).not.toHaveProperty("output");
});

it("a worker gets the jobs that were cancelled while it did not poll", async () => {
  await using scene = await LiveScene.set();
  await scene.submit();
  await scene.submit();
  const jobs = await scene.worker.takeBatch(2);
  for (const { id } of jobs) await cancel(scene, id);
  expect(new Set(await scene.worker.jobsToStop())).toEqual(new Set(jobs.map(({ id }) => id)));
});

it("a poll for stops is answered with 204 after its wait", async () => {
  await using scene = await LiveScene.set();
  expect(await scene.passTime(scene.worker.jobsToStop())).toEqual([]);
});

it("the result of a cancelled job is accepted and dropped if its worker does not poll for stops", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  await cancel(scene, id);
  expect((await scene.worker.done(id, { output: 1 })).status).toBe(200);
  expect(await scene.status(id)).toMatchObject({ status: "CANCELLED" });
  expect(await scene.status(id)).not.toHaveProperty("output");
  // No job is left to stop.
  expect(await scene.passTime(scene.worker.jobsToStop())).toEqual([]);
});

it("a job that exceeds its time is ended, and its worker is told", async () => {
  await using scene = await LiveScene.set();
  const policy = { executionTimeout: 10_000 };
  const { id } = await scene.handOut(scene.worker, {}, { policy });
  const stops = scene.worker.jobsToStop();
  await scene.advance(9_000);
  await scene.worker.ping([id]);
  await scene.advance(1_000 + LIMITS.executionGraceMs);
  expect(await stops).toEqual([id]);
  expect(await scene.status(id)).toMatchObject({
    status: "TIMED_OUT",
    failure: { type: "execution_timeout" },
  });
});

it("a worker gets a job's id again if its connection broke before the answer", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  const broken = new AbortController();
  const told = scene.worker.jobsToStop(broken.signal).catch(() => "broken");
  const { engine } = scene.service.test;
  await scene.until(() => engine.fleet.find("by-hand")?.contact.underWay === 1);
  broken.abort();
  expect(await told).toBe("broken");
  await scene.until(() => engine.fleet.find("by-hand")?.contact.underWay === 0);
  await cancel(scene, id);
  expect(await scene.worker.jobsToStop()).toEqual([id]);
});
