/** Maximum of concurrent calls, of bodies in flight and of settled deliveries. */
import { expect, it } from "vitest";
import { redeliver } from "../../../emulator/engine/webhooks/change-deliveries.ts";
import { createTestEngine } from "../engine-harness.ts";
import { ScriptedSender } from "../scripted-sender.ts";
import { completeHooked, deliveriesOf, HOOK, submitHooked } from "./hooked-jobs.ts";
import { LOOK_MS } from "../../setup/patience.ts";

it("a receiver that does not answer delays a few of its own calls only", async () => {
  const { promise: never } = Promise.withResolvers<number>();
  const sender = new ScriptedSender(({ url }) => (url === HOOK ? never : 200));
  await using test = await createTestEngine(undefined, undefined, { webhookSender: sender });
  const worker = await test.connectWorker("echo", { credit: 0 });
  for (let count = 0; count < 200; count += 1) await completeHooked(test, worker);
  expect(sender.open).toBe(8);
  await completeHooked(test, worker, { webhook: "https://another.test/" });
  expect(sender.calls.at(-1)?.url).toBe("https://another.test/");
  const [newest] = await deliveriesOf(test);
  expect(newest?.state).toBe("delivered");
});

it("many receivers get 32 calls at a time, and each of 1,000 gets its own", async () => {
  const waiting: (() => void)[] = [];
  const sender = new ScriptedSender(
    () => new Promise<number>((resolve) => waiting.push(() => resolve(200))),
  );
  await using test = await createTestEngine(undefined, undefined, { webhookSender: sender });
  const worker = await test.connectWorker("echo", { credit: 1_000 });
  for (let count = 0; count < 1_000; count += 1) {
    await submitHooked(test, { webhook: `https://host-${count % 250}.test/` });
    await worker.complete(await worker.nextJob(), count);
  }
  await test.clock.settle();
  expect(sender.open).toBe(32);
  while (waiting.length > 0) {
    for (const answer of waiting.splice(0)) answer();
    await test.clock.settle();
  }
  expect(sender.mostOpen).toBe(32);
  expect(new Set(sender.calls.map(({ id }) => id)).size).toBe(1_000);
  const pending = await test.engine.steps.read((reads) => reads.deliveries.due(Infinity, 9, []));
  expect(pending).toEqual([]);
});

it("settled deliveries are kept for a day", async () => {
  const sender = new ScriptedSender();
  await using test = await createTestEngine(undefined, undefined, { webhookSender: sender });
  const worker = await test.connectWorker("echo", { credit: 0 });
  await completeHooked(test, worker);
  await test.clock.standStill(3_600_000);
  const later = await test.connectWorker("echo", { credit: 0 });
  await completeHooked(test, later);
  await test.clock.standStill(23 * 3_600_000);
  expect(await deliveriesOf(test)).toHaveLength(2);
  await test.clock.standStill(1_000);
  expect(await deliveriesOf(test)).toHaveLength(1);
  await test.clock.standStill(3_600_000);
  expect(await deliveriesOf(test)).toHaveLength(0);
});

it("the newest 1,000 settled deliveries are kept, with bodies of 128 MB at most", async () => {
  await using test = await createTestEngine();
  const worker = await test.connectWorker("echo", { credit: 1_010 });
  for (let count = 0; count < 1_010; count += 1) {
    await submitHooked(test, { input: `{"n":${count}}` });
    await worker.complete(await worker.nextJob());
  }
  await test.clock.settle();
  const all = () => test.engine.steps.read((reads) => reads.deliveries.list({}, 9_999));
  await expect.poll(async () => (await all()).length).toBe(1_000);
  const output = "x".repeat(15_000_000);
  for (let count = 0; count < 10; count += 1) await completeHooked(test, worker, { output });
  expect(await all()).toHaveLength(8);
});

it("a delivery is sent again on demand, with the same id and body, but not while it is pending", async () => {
  const sender = ScriptedSender.answering(500, 500, 500, 404, 200);
  await using test = await createTestEngine(undefined, undefined, { webhookSender: sender });
  await completeHooked(test, await test.connectWorker("echo", { credit: 0 }));
  const id = sender.calls[0]?.id ?? "";
  await expect(redeliver(test.engine, id)).rejects.toMatchObject({ code: "delivery_pending" });
  await test.clock.advance(20_000);
  expect(sender.calls).toHaveLength(3);
  expect(await redeliver(test.engine, id)).toMatchObject({ state: "pending" });
  await test.clock.settle();
  expect(sender.calls).toHaveLength(4);
  await test.clock.advance(10_000);
  expect(sender.calls).toHaveLength(5);
  expect(new Set(sender.calls.map((call) => JSON.stringify(call))).size).toBe(1);
  const [delivery] = await deliveriesOf(test);
  expect(delivery?.state).toBe("delivered");
  expect(delivery?.tries.map(({ status }) => status)).toEqual([500, 500, 500, 404, 200]);
  await expect(redeliver(test.engine, "none")).rejects.toMatchObject({
    code: "delivery_not_found",
  });
});

it("an advance of the clock can wait for the running calls", async () => {
  const { promise: answer, resolve } = Promise.withResolvers<number>();
  const sender = ScriptedSender.answering(answer);
  await using test = await createTestEngine(undefined, undefined, { webhookSender: sender });
  const { pendingWork } = test.engine;
  await completeHooked(test, await test.connectWorker("echo", { credit: 0 }));
  expect(pendingWork.underWay).toEqual(["a webhook call"]);
  resolve(200);
  expect(await pendingWork.settled(AbortSignal.timeout(LOOK_MS))).toBe(true);
  expect((await deliveriesOf(test))[0]?.state).toBe("delivered");
});
