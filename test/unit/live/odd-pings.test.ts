/** Workers with pings that do not match their jobs: each is logged once, and continues. */
import { expect, it } from "vitest";
import type { SdkWorker } from "../../live/sdk-worker.ts";
import { LiveScene } from "./live-scene.ts";

const STRANGE = expect.stringContaining("reports jobs that it was never given");
const NEVER_ASKS = expect.stringContaining("has no job and does not ask for one");

/** A ping now and every 5 s, for 10 s. */
async function pings(scene: LiveScene, worker: SdkWorker, jobIds: readonly string[] = []) {
  for (let at = 0; at <= 10_000; at += 5_000) {
    if (at > 0) await scene.advance(5_000);
    await worker.ping(jobIds);
  }
}

it("a worker that names another worker's job in its pings for 10 s is logged", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut(scene.workerNamed("other"));
  await scene.worker.ping([id]);
  await scene.advance(9_999);
  await scene.worker.ping([id]);
  expect(scene.logged()).not.toContainEqual(STRANGE);
  await scene.advance(1);
  await scene.worker.ping([id]);
  expect(scene.service.test.logged).toContainEqual(
    expect.objectContaining({ level: "warn", message: STRANGE }),
  );
});

it("a worker that requests no job for 10 s while one waits is logged", async () => {
  await using scene = await LiveScene.set();
  await scene.worker.ping();
  await scene.submit();
  await pings(scene, scene.worker);
  expect(scene.logged()).toContainEqual(NEVER_ASKS);
});

it("a worker with odd pings is logged once, however long it continues", async () => {
  await using scene = await LiveScene.set();
  await scene.submit();
  await pings(scene, scene.worker, ["nobody's"]);
  expect(scene.logged()).toEqual(expect.arrayContaining([STRANGE, NEVER_ASKS]));
  const { length } = scene.logged();
  await pings(scene, scene.worker, ["nobody's"]);
  expect(scene.logged()).toHaveLength(length);
});

it("a worker that pings with its own job is not logged, even if that job has ended", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  await scene.submit();
  await pings(scene, scene.worker, [id]);
  await scene.service.call("POST", `/v2/echo/cancel/${id}`);
  await pings(scene, scene.worker, [id]);
  expect(scene.logged()).not.toContainEqual(STRANGE);
  expect(scene.logged()).not.toContainEqual(NEVER_ASKS);
});

it("a worker is not logged while no job waits, while its request is open, or if it sent one in between", async () => {
  await using scene = await LiveScene.set();
  await pings(scene, scene.worker);
  const hangsUp = new AbortController();
  const asked = scene.worker.take(hangsUp.signal).catch(() => undefined);
  await scene.waitsForJobs();
  await pings(scene, scene.worker);
  hangsUp.abort();
  await asked;
  await scene.waitsNoMore();
  await scene.submit();
  await scene.worker.ping();
  await scene.advance(5_000);
  const job = await scene.worker.take();
  await scene.worker.done(job?.id ?? "", {});
  await scene.submit();
  await scene.advance(5_000);
  await scene.worker.ping();
  expect(scene.logged()).not.toContainEqual(NEVER_ASKS);
});
