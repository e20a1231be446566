/**
 * Live workers take jobs alone or several at a time. Polls are held until there is one, and jobs return if the client has gone.
 */
import { expect, it } from "vitest";
import { takenJobSchema } from "../../../emulator/http/schemas/live-worker.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { LiveScene } from "./live-scene.ts";

it("answers a waiting worker as soon as a job comes, with the input as it was submitted", async () => {
  await using scene = await LiveScene.set();
  const worker = scene.worker();
  const taken = worker.take();
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

it("answers 204 when there was no job for as long as a poll is held", async () => {
  await using scene = await LiveScene.set();
  const taken = scene.worker().take();
  await scene.advance(0);
  await scene.advance(LIMITS.livePollMs);
  expect(await taken).toBeUndefined();
});

it("gives a batch as a list, and the fourth alone while three are busy", async () => {
  await using scene = await LiveScene.set();
  const worker = scene.worker();
  for (let n = 0; n < 3; n += 1) await scene.submit({ n });
  const batch = await worker.takeBatch(4);
  expect(batch.map(({ input }) => input)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  const fourth = worker.take();
  await scene.submit({ n: 3 });
  expect((await fourth)?.input).toEqual({ n: 3 });
});

it("spreads jobs over the workers that wait", async () => {
  await using scene = await LiveScene.set();
  const workers = ["a", "b"].map((id) => scene.worker(id));
  const taken = workers.map((worker) => worker.takeBatch(2));
  for (const { id } of workers) await scene.waitsForJobs(id);
  await scene.submit({ n: 0 });
  await scene.submit({ n: 1 });
  expect((await Promise.all(taken)).map((jobs) => jobs.length)).toEqual([1, 1]);
});
