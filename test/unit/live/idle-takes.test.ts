/** Workers that request jobs as idle although they hold some. */
import { expect, it } from "vitest";
import { LiveScene } from "./live-scene.ts";

it("the next worker that requests a job gets it at once, as a retry", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  scene.worker.forgetJobs();
  expect(await scene.worker.take()).toMatchObject({ id });
  expect(scene.logged()).toContainEqual(expect.stringContaining("says that it has none"));
  await scene.worker.done(id, { output: "the second time" });
  expect(await scene.status(id)).toMatchObject({
    status: "COMPLETED",
    output: "the second time",
    retries: 1,
  });
  expect(scene.service.test.engine.fleet.find("by-hand")?.heldCount).toBe(0);
});

it("a job that a worker refuses each time fails, and the worker gets no stop for it", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  scene.worker.forgetJobs();
  await scene.worker.take();
  scene.worker.forgetJobs();
  const taken = scene.worker.take();
  await scene.waitsForJobs();
  expect(await scene.status(id)).toMatchObject({
    status: "FAILED",
    error: "job timed out after 1 retries",
    retries: 1,
    failure: {
      type: "worker_lost",
      message: expect.stringContaining("worker by-hand asks for jobs and says that it has none"),
    },
  });
  expect(await scene.passTime(Promise.all([taken, scene.worker.jobsToStop()]))).toEqual([
    undefined,
    [],
  ]);
});

it("all jobs of a worker that requests several are taken back", async () => {
  await using scene = await LiveScene.set();
  for (let n = 0; n < 3; n += 1) await scene.submit({ n });
  const first = await scene.worker.takeBatch(3);
  scene.worker.forgetJobs();
  const again = await scene.worker.takeBatch(3);
  const ids = (jobs: typeof first) => new Set(jobs.map(({ id }) => id));
  expect(ids(again)).toEqual(ids(first));
  for (const { id } of again) expect(await scene.status(id)).toMatchObject({ retries: 1 });
});

it.each(["&job_in_progress=1", "&job_in_progress=", ""])(
  "a worker that requests jobs with %j keeps its job",
  async (said) => {
    await using scene = await LiveScene.set();
    const { id } = await scene.handOut();
    const url = `${scene.service.url}/live/v2/echo/job-take/by-hand?gpu=${said}`;
    const asked = scene.worker.ask(url);
    await scene.waitsForJobs();
    const other = await scene.submit();
    expect(JSON.parse((await asked).text)).toEqual({ id: other, input: {} });
    expect(await scene.status(id)).toMatchObject({ status: "IN_PROGRESS" });
    expect(await scene.status(id)).not.toHaveProperty("retries");
  },
);

it("a result that came before the request is kept", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  await scene.worker.done(id, { output: 1 });
  await scene.passTime(scene.worker.take());
  expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", output: 1 });
  expect(await scene.status(id)).not.toHaveProperty("retries");
});

it("other workers keep their jobs", async () => {
  await using scene = await LiveScene.set();
  const [busy, idle] = [scene.workerNamed("busy"), scene.workerNamed("idle")];
  const { id } = await scene.handOut(busy);
  const taken = idle.take();
  await scene.waitsForJobs("idle");
  const other = await scene.submit();
  expect(await taken).toMatchObject({ id: other });
  expect(await scene.status(id)).toMatchObject({ status: "IN_PROGRESS", workerId: "busy" });
});
