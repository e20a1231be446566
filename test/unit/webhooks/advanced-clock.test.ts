/** Webhooks follow the service's clock: an advance makes every due call, in order. */
import { expect, it } from "vitest";
import { advanceClock } from "../../../emulator/engine/time/advance-clock.ts";
import { createTestEngine } from "../engine-harness.ts";
import { ScriptedSender } from "../scripted-sender.ts";
import { completeHooked, deliveriesOf } from "./hooked-jobs.ts";

it("all tries of an advance happen at their times, and it returns after the last answer", async () => {
  const last = Promise.withResolvers<number>();
  const sender = ScriptedSender.answering(500, 500, last.promise);
  await using test = await createTestEngine(undefined, undefined, { webhookSender: sender });
  const { engine } = test;
  const startedAt = engine.clock.now();
  await completeHooked(test, await test.connectWorker("echo", { credit: 0 }));
  let isAnswered = false;
  const advanced = advanceClock(engine, 1_860_000, new AbortController().signal).finally(() => {
    isAnswered = true;
  });
  while (sender.calls.length < 3) await test.clock.settle();
  expect([isAnswered, engine.clock.now() - startedAt]).toEqual([false, 20_000]);
  last.resolve(200);
  expect(await advanced).toMatchObject({ settled: true, offsetMs: 1_860_000 });
  const [delivery] = await deliveriesOf(test);
  expect(delivery?.state).toBe("delivered");
  const moments = delivery?.tries.map(({ at }) => at - startedAt);
  expect(moments).toEqual([0, 10_000, 20_000]);
});
