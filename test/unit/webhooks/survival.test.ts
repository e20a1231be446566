/** Deliveries survive the end of their job, a restart, a full disk, and payloads of the largest size. */
import { expect, describe, it } from "vitest";
import { closePieces } from "../../../emulator/core/jobs/opened-payload.ts";
import { setTtl } from "../../../emulator/engine/jobs/set-ttl.ts";
import { retry } from "../../../emulator/engine/jobs/retry.ts";
import type { Store } from "../../../emulator/store/store.ts";
import { createMemoryStore } from "../../../emulator/store/memory/memory-store.ts";
import { FakeClock } from "../../fake-clock.ts";
import { storeThatFills } from "../engine/filling-store.ts";
import { storeWith } from "../engine/store-with.ts";
import { createTestEngine } from "../engine-harness.ts";
import { ScriptedSender } from "../scripted-sender.ts";
import { ScriptedWorker } from "../scripted-worker.ts";
import { completeHooked, deliveriesOf, STORES, submitHooked } from "./hooked-jobs.ts";

const never = Promise.withResolvers<number>().promise;

describe.each(STORES)("on the %s store", (_name, open) => {
  it.each(["small", "large"])(
    "the %s body stays the same when the job is deleted or retried between two tries",
    async (size) => {
      await using stored = await open();
      const sender = ScriptedSender.answering(500, 500, 200);
      await using test = await createTestEngine(stored.store, undefined, { webhookSender: sender });
      const worker = await test.connectWorker("echo", { credit: 0 });
      const filling = "x".repeat(size === "large" ? 2_000_000 : 10);
      await worker.grant();
      const job = await submitHooked(test, { input: JSON.stringify({ in: filling }) });
      const failure = { type: "handler_error", message: "first" } as const;
      await worker.finish(await worker.nextJob(), { kind: "failed", failure });
      // Files are read asynchronously.
      await expect.poll(() => sender.calls.length).toBe(1);
      await test.clock.advance(5_000);
      await retry(test.engine, job);
      await worker.grant();
      await worker.complete(await worker.nextJob(), `another ${filling}`);
      await test.clock.advance(5_000);
      await expect.poll(() => sender.calls.length).toBe(2);
      const shown = await setTtl(test.engine, job, 1);
      await closePieces([shown.output]);
      await test.clock.advance(1_000);
      expect(await test.job(job.jobId)).toBeUndefined();
      await test.clock.advance(9_000);
      await expect.poll(() => sender.calls.length).toBe(4);
      const [first, second, third, fourth] = sender.calls.map(({ text }) => text);
      expect(second).toBe(first);
      expect(third).toBe(first);
      const { input, error } = JSON.parse(first ?? "") as { input: { in: string }; error: string };
      expect({ length: input.in.length, error }).toEqual({
        length: filling.length,
        error: "first",
      });
      const last = JSON.parse(fourth ?? "") as { output: string; status: string };
      expect(last.status).toBe("COMPLETED");
      expect(last.output).toBe(`another ${filling}`);
    },
  );

  it("a restarted service continues the deliveries at their times", async () => {
    await using stored = await open();
    if (stored.reopen === undefined) return;
    const clock = new FakeClock();
    const before = ScriptedSender.answering(500);
    const first = await createTestEngine(stored.store, undefined, { webhookSender: before, clock });
    const startedAt = clock.now();
    await completeHooked(first, await first.connectWorker("echo", { credit: 0 }), { output: "ü" });
    await clock.advance(4_000);
    await first.stop("kill");
    const after = ScriptedSender.answering(500, 200);
    await using second = await createTestEngine(await stored.reopen(), undefined, {
      webhookSender: after,
      clock,
    });
    await clock.advance(5_999);
    expect(after.calls).toHaveLength(0);
    await clock.advance(10_001);
    expect(after.calls).toEqual([before.calls[0], before.calls[0]]);
    const [delivery] = await deliveriesOf(second);
    expect(delivery?.state).toBe("delivered");
    expect(delivery?.tries.map(({ at }) => at - startedAt)).toEqual([0, 10_000, 20_000]);
  });

  it("a call that was running when the service was killed is repeated at the next start", async () => {
    await using stored = await open();
    if (stored.reopen === undefined) return;
    const hanging = ScriptedSender.answering(never);
    const first = await createTestEngine(stored.store, undefined, { webhookSender: hanging });
    await completeHooked(first, await first.connectWorker("echo", { credit: 0 }));
    expect(hanging.open).toBe(1);
    await first.stop("kill");
    expect(hanging.open).toBe(0);
    const sender = new ScriptedSender();
    await using second = await createTestEngine(await stored.reopen(), undefined, {
      webhookSender: sender,
    });
    await second.clock.settle();
    expect(sender.calls).toEqual(hanging.calls);
    expect((await deliveriesOf(second))[0]?.tries).toHaveLength(1);
  });
});

it("a draining service calls for the jobs that finish, and waits for the running calls", async () => {
  const { promise: answer, resolve } = Promise.withResolvers<number>();
  const store = createMemoryStore();
  let states: readonly string[] = [];
  const watched = storeWith(store, {
    async close() {
      const deliveries = await store.deliveries.list({}, 9);
      states = deliveries.map(({ state }) => state);
      await store.close();
    },
  });
  const sender = ScriptedSender.answering(answer);
  const test = await createTestEngine(watched, undefined, { webhookSender: sender });
  const worker = await test.connectWorker("echo", { credit: 0 });
  await worker.grant();
  await submitHooked(test);
  await worker.complete(await worker.nextJob(), "done");
  const stopped = test.stop("drain");
  await test.clock.settle();
  expect(sender.open).toBe(1);
  resolve(200);
  await stopped;
  expect(states).toEqual(["delivered"]);
});

it("on a full disk neither a job's end nor its delivery is stored, and later both are", async () => {
  const { store, fill } = storeThatFills();
  const sender = new ScriptedSender();
  await using test = await createTestEngine(store, undefined, { webhookSender: sender });
  const worker = await test.connectWorker("echo", { credit: 0 });
  await worker.grant();
  const { jobId } = await submitHooked(test);
  const handed = await worker.nextJob();
  fill(true);
  await expect(worker.complete(handed, "done")).rejects.toMatchObject({ code: "storage_full" });
  await test.clock.settle();
  const status = async () => (await store.job(jobId))?.status;
  expect(await status()).toBe("IN_PROGRESS");
  expect(await deliveriesOf(test)).toEqual([]);
  expect(sender.calls).toHaveLength(0);
  fill(false);
  // It reconnects, and repeats what has no receipt.
  await new ScriptedWorker(test.engine, worker.worker).complete(handed, "done");
  await test.clock.settle();
  expect(await status()).toBe("COMPLETED");
  expect(sender.calls).toHaveLength(1);
});

it("a delivered call is not sent again while the disk is too full to record it", async () => {
  const { store, fill } = storeThatFills();
  const sender = new ScriptedSender(() => {
    fill(true);
    return 200;
  });
  await using test = await createTestEngine(store, undefined, { webhookSender: sender });
  await completeHooked(test, await test.connectWorker("echo", { credit: 0 }));
  await test.clock.advance(5_000);
  expect((await deliveriesOf(test))[0]?.state).toBe("pending");
  fill(false);
  await test.clock.advance(1_000);
  expect((await deliveriesOf(test))[0]?.state).toBe("delivered");
  expect(sender.calls).toHaveLength(1);
  expect(test.logged.filter(({ fields }) => "deliveryId" in fields)).toHaveLength(1);
});

/** A store that is full after it has stored a delivery that waits for an earlier one of its job. */
function storeThatFillsBehindLaterDeliveries() {
  const memory = createMemoryStore();
  const { store, fill } = storeThatFills(memory);
  const filling = storeWith(store, {
    async flush(batch) {
      await store.flush(batch);
      const isLater = batch.changes.some(
        (made) => made.type === "insert-delivery" && made.delivery.nextTryAt === undefined,
      );
      if (isLater) fill(true);
    },
    // The store is opened again.
    close: async () => undefined,
  });
  return { store: filling, fill };
}

async function endTwice(store: Store, clock: FakeClock, sender: ScriptedSender) {
  const test = await createTestEngine(store, undefined, { webhookSender: sender, clock });
  const worker = await test.connectWorker("echo", { credit: 0 });
  const job = await submitHooked(test);
  await worker.grant();
  await worker.fail(await worker.nextJob());
  await clock.settle();
  expect(sender.calls).toHaveLength(1);
  await retry(test.engine, job);
  await worker.grant();
  await worker.complete(await worker.nextJob(), "done");
  await clock.settle();
  expect(sender.calls).toHaveLength(1);
  return test;
}

it("a retried job's next end is delivered even if there was no room at first to make its call due", async () => {
  const { store, fill } = storeThatFillsBehindLaterDeliveries();
  const clock = new FakeClock();
  const sender = ScriptedSender.answering(200, 200);
  await using test = await endTwice(store, clock, sender);
  fill(false);
  await test.clock.advance(1_000);
  expect(sender.calls).toHaveLength(2);
});

it("a retried job's next end is delivered by the next service if this one ends before the call is due", async () => {
  const { store, fill } = storeThatFillsBehindLaterDeliveries();
  const clock = new FakeClock();
  const sender = ScriptedSender.answering(200, 200);
  const first = await endTwice(store, clock, sender);
  await first.stop("kill");
  fill(false);
  await using _ = await createTestEngine(store, undefined, { webhookSender: sender, clock });
  await clock.settle();
  expect(sender.calls).toHaveLength(2);
});
