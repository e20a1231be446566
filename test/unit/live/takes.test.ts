/**
 * Live workers take one or several jobs at a time. A poll is held until there is a job, and jobs return if the
 * client has gone.
 */
import { expect, it } from "vitest";
import { takenJobSchema } from "../../../emulator/http/schemas/live-worker.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { LiveScene } from "./live-scene.ts";

it("a waiting worker gets a job at once, with the input unchanged", async () => {
  await using scene = await LiveScene.set();
  const taken = scene.worker.take();
  const body =
    '{"input": {"n": 1.50, "text": "ä"}, "webhook": "https://example.com/hook", "s3Config": {"bucketName": "b"}}';
  await scene.service.call("POST", "/v2/echo/run", { body });
  const job = await taken;
  expect(job).toEqual({
    id: expect.any(String) as string,
    input: { n: 1.5, text: "ä" },
    webhook: "https://example.com/hook",
    s3Config: { bucketName: "b" },
  });
  expect(takenJobSchema.safeParse(job)).toMatchObject({ success: true });
});

it("a poll without a job is answered with 204 after its wait", async () => {
  await using scene = await LiveScene.set();
  const taken = scene.worker.take();
  await scene.advance(0);
  await scene.advance(LIMITS.livePollMs);
  expect(await taken).toBeUndefined();
});

it("a batch is a list, and a single free place gets the fourth job alone", async () => {
  await using scene = await LiveScene.set();
  for (let n = 0; n < 3; n += 1) await scene.submit({ n });
  const batch = await scene.worker.takeBatch(4);
  expect(batch.map(({ input }) => input)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  const fourth = scene.worker.take();
  await scene.submit({ n: 3 });
  expect((await fourth)?.input).toEqual({ n: 3 });
});

it("jobs are spread over the waiting workers", async () => {
  await using scene = await LiveScene.set();
  const workers = ["a", "b"].map((id) => scene.workerNamed(id));
  const taken = workers.map((worker) => worker.takeBatch(2));
  for (const { id } of workers) await scene.waitsForJobs(id);
  await scene.submit({ n: 0 });
  await scene.submit({ n: 1 });
  expect((await Promise.all(taken)).map((jobs) => jobs.length)).toEqual([1, 1]);
});
