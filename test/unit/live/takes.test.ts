/** How live workers take jobs: alone or several at a time, held until there is one, and given back when nobody listens. */
import { expect, it } from "vitest";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { LiveScene } from "./live-scene.ts";

it("answers a waiting worker as soon as a job comes, with the input as it was submitted", async () => {
  await using scene = await LiveScene.set();
  const worker = scene.worker();
  const taken = worker.take();
  const body = '{"input": {"n": 1.50, "text": "ä"}, "webhook": "https://example.com/hook"}';
  await scene.service.call("POST", "/v2/echo/run", { body });
  expect(await taken).toEqual({
    id: expect.any(String) as string,
    input: { n: 1.5, text: "ä" },
    webhook: "https://example.com/hook",
  });
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
  const fourth = worker.take(true);
  await scene.submit({ n: 3 });
  expect((await fourth)?.input).toEqual({ n: 3 });
});
