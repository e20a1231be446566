/** Polls with broken, doubled or cut connections: no job is lost. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import type { SdkWorker } from "../../live/sdk-worker.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { LiveScene } from "./live-scene.ts";

/** Asks for a job; undefined if the connection broke before. */
function takeUnlessBroken(worker: SdkWorker, broken: AbortController) {
  return worker.take(broken.signal).catch(() => undefined);
}

/** The worker asks for jobs, and its connection breaks while it waits. */
async function breakWhileWaiting(scene: LiveScene, worker: SdkWorker): Promise<void> {
  const broken = new AbortController();
  const taken = takeUnlessBroken(worker, broken);
  await scene.waitsForJobs();
  broken.abort();
  await taken;
}

it("a job that comes after the connection broke waits for the next poll", async () => {
  await using scene = await LiveScene.set();
  await breakWhileWaiting(scene, scene.worker);
  await scene.waitsNoMore();
  const id = await scene.submit();
  expect(await scene.status(id)).toMatchObject({ status: "IN_QUEUE" });
  expect(await scene.worker.take()).toMatchObject({ id });
  expect(await scene.status(id)).not.toHaveProperty("retries");
});

it("a job in transit when the connection breaks goes back at once", async () => {
  await using scene = await LiveScene.set();
  const { engine } = scene.service.test;
  const broken = new AbortController();
  const taken = takeUnlessBroken(scene.worker, broken);
  await scene.waitsForJobs();
  const fleetWorker = engine.fleet.find("by-hand");
  const submitted = scene.submit();
  await scene.until(() => fleetWorker?.credit === 0);
  broken.abort();
  const arrived = await taken;
  const id = await submitted;
  // The job arrived, or came back from the closed connection, or the worker's next request shows that it did not
  // arrive.
  expect(arrived ?? (await scene.worker.take())).toMatchObject({ id });
});

it("no job is lost, however often and whenever connections break", async () => {
  await using scene = await LiveScene.set();
  for (let round = 0; round < 60; round += 1) {
    const broken = new AbortController();
    const taken = takeUnlessBroken(scene.worker, broken);
    if (round % 3 > 0) await scene.waitsForJobs();
    const submitted = scene.submit({ round });
    for (let turns = 0; turns < round % 20; turns += 1) await turn();
    broken.abort();
    const id = await submitted;
    const job = (await taken) ?? (await scene.worker.take());
    expect(job).toMatchObject({ id, input: { round } });
    await scene.worker.done(id, { output: round });
    const { retries = 0, ...done } = await scene.status(id);
    expect(done).toMatchObject({ status: "COMPLETED", output: round });
    // The next request finds jobs that the system had accepted for the connection before it broke.
    expect(retries).toBeLessThanOrEqual(1);
  }
  expect(scene.service.test.engine.fleet.find("by-hand")?.heldCount).toBe(0);
});

it("the newest poll of a worker that polls twice is answered, and the older one late, so that it does not poll in a loop", async () => {
  await using scene = await LiveScene.set();
  const first = scene.worker.take();
  await scene.waitsForJobs();
  const { clock } = scene.service.test;
  const { armed } = clock;
  const second = scene.worker.take();
  // The held poll, and the condition that holds the other one back.
  await scene.until(() => clock.armed > armed);
  const id = await scene.submit();
  expect(await second).toMatchObject({ id });
  expect(await scene.passTime(first)).toBeUndefined();
});

it("several programs that poll by one id are logged, and one cannot speak for the others", async () => {
  await using scene = await LiveScene.set();
  const [one, other] = [scene.worker, scene.worker];
  const first = one.take();
  await scene.waitsForJobs();
  const second = other.take();
  await scene.passTime(first);
  expect(scene.logged()).toContainEqual(expect.stringContaining("several programs ask for jobs"));
  const id = await scene.submit();
  expect(await second).toMatchObject({ id });
  const next = one.take();
  await scene.waitsForJobs();
  expect(await scene.status(id)).toMatchObject({ status: "IN_PROGRESS" });
  await other.done(id, { output: "its own" });
  expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", output: "its own" });
  await scene.passTime(next);
});

it("a worker that polls again after a broken connection counts as one program", async () => {
  await using scene = await LiveScene.set();
  await breakWhileWaiting(scene, scene.worker);
  await scene.passTime(scene.worker.take());
  expect(scene.logged()).not.toContainEqual(expect.stringContaining("several programs"));
});

it("ends polls at once when the service stops", async () => {
  await using scene = await LiveScene.set();
  const polls = Promise.all([scene.worker.take(), scene.worker.jobsToStop()]);
  await scene.waitsForJobs();
  const stopped = scene.service.http.stop();
  expect(await polls).toEqual([undefined, []]);
  await stopped;
});

it("a worker that polls during a restart of the service is accepted again, and gets its job again", async () => {
  await using tree = await temporaryTree({});
  const directory = tree.path("data");
  const open = async () => LiveScene.set({ store: await openSqliteStore({ directory }) });
  const first = await open();
  const { id } = await first.handOut(first.worker);
  await first[Symbol.asyncDispose]();
  await using second = await open();
  const worker = second.worker;
  // Its first result is outdated now.
  expect((await worker.done(id, { output: "late" })).status).toBe(200);
  expect(await second.status(id)).toMatchObject({ status: "IN_QUEUE" });
  expect(await worker.take()).toMatchObject({ id });
  await worker.done(id, { output: "again" });
  expect(await second.status(id)).toMatchObject({ status: "COMPLETED", output: "again" });
});

it("several jobs with inputs that must be read first come in one answer", async () => {
  await using tree = await temporaryTree({});
  const store = await openSqliteStore({ directory: tree.path("data") });
  await using scene = await LiveScene.set({ store });
  for (let n = 0; n < 4; n += 1) await scene.submit({ n, text: "x".repeat(100_000) });
  const jobs = await scene.worker.takeBatch(4);
  const numbers = new Set(jobs.map(({ input }) => (input as { n: number }).n));
  expect(numbers).toEqual(new Set([0, 1, 2, 3]));
});

it("an invalid batch size is refused", async () => {
  await using scene = await LiveScene.set();
  const { url } = scene.service;
  for (const size of ["0", "many", "1001", "2&batch_size=3"]) {
    const asked = scene.worker.ask(`${url}/live/v2/echo/job-take-batch/by-hand?batch_size=${size}`);
    const answer = await scene.passTime(asked);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("batch_size must be one integer from 1 to 1000");
  }
});

it("a job goes back if there is no room for its input on its way out", async () => {
  await using scene = await LiveScene.set();
  const { inFlight } = scene.service.test.engine;
  const all = await inFlight.take(LIMITS.inFlightMaxBytes, new AbortController().signal);
  const id = await scene.submit({ text: "x".repeat(100_000) });
  const refused = scene.worker.take().catch((error: unknown) => error);
  await scene.until(() => scene.service.test.engine.fleet.find("by-hand")?.heldCount === 1);
  await scene.advance(LIMITS.inFlightWaitMs);
  expect(String(await refused)).toMatch(/503/);
  expect(await scene.status(id)).toMatchObject({ status: "IN_QUEUE" });
  all?.[Symbol.dispose]();
  expect(await scene.worker.take()).toMatchObject({ id });
});
