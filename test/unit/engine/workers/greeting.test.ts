/** A worker's greeting is handled before its later messages, and messages of an earlier session no longer count. */
import { expect, it } from "vitest";
import { WorkerHandle } from "../../../../emulator/engine/workers/worker-handle.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";
import { ScriptedWorker } from "../../scripted-worker.ts";
import { storeWith } from "../store-with.ts";

const hello = { protocolVersion: 1, runtimeVersion: "0.0.0-test", held: [] };

/** A store that a test holds up like a slow disk: steps wait, or are not yet durable. */
function storeThatCanBeHeldUp() {
  const store = createMemoryStore();
  const heldUp: { before?: Promise<void>; after?: Promise<void> } = {};
  const slow = storeWith(store, {
    async flush(batch) {
      await heldUp.before;
      await store.flush(batch);
      await heldUp.after;
    },
  });
  const holdUp = (where: "before" | "after") => {
    const { promise, resolve: goOn } = Promise.withResolvers<void>();
    heldUp[where] = promise;
    return goOn;
  };
  return { store: slow, holdUp };
}

function addWorker({ engine, clock }: TestEngine): WorkerHandle {
  const worker = new WorkerHandle({
    id: "w1",
    endpointId: "echo",
    endpointVersion: 1,
    startedAt: clock.now(),
    realClock: clock,
  });
  engine.fleet.add(worker);
  return worker;
}

it("a job that was handed over on credit right behind the greeting is not taken back", async () => {
  const { store, holdUp } = storeThatCanBeHeldUp();
  await using test = await createTestEngine(store);
  test.clock.isBusy = () => false;
  const worker = new ScriptedWorker(test.engine, addWorker(test));
  const goOn = holdUp("before");
  const submitted = test.submit();
  await test.clock.settle();
  const greeted = [
    worker.report({ hello }),
    worker.report({ ready: { concurrency: 1 }, credit: 1 }),
  ];
  goOn();
  const { id } = await submitted;
  await Promise.all(greeted);
  await test.clock.settle();
  expect(worker.orders.flatMap(({ jobs = [] }) => jobs)).toMatchObject([{ jobId: id, attempt: 1 }]);
  await worker.complete(await worker.nextJob(), "done");
  expect(await store.job(id)).toMatchObject({
    status: "COMPLETED",
    attempt: 1,
  });
});

it("a job is not sent to a session that is younger than its hand-over", async () => {
  const { store, holdUp } = storeThatCanBeHeldUp();
  await using test = await createTestEngine(store);
  test.clock.isBusy = () => false;
  const worker = addWorker(test);
  const old = new ScriptedWorker(test.engine, worker);
  await old.greet(1);
  const goOn = holdUp("after");
  const submitted = test.submit();
  await test.clock.settle();
  const next = new ScriptedWorker(test.engine, worker);
  const greeted = next.greet(1);
  await test.clock.settle();
  goOn();
  await Promise.all([submitted, greeted]);
  await test.clock.settle();
  const sent = old.orders.concat(next.orders).flatMap(({ jobs = [] }) => jobs);
  expect(sent).toMatchObject([{ attempt: 2 }]);
});

it("credit of an ended session does not count in the new one", async () => {
  await using test = await createTestEngine();
  const worker = addWorker(test);
  const old = new ScriptedWorker(test.engine, worker);
  await old.greet(0);
  const next = new ScriptedWorker(test.engine, worker);
  await old.grant(1);
  await test.submit();
  expect(old.orders.concat(next.orders).flatMap(({ jobs = [] }) => jobs)).toEqual([]);
  await next.greet(1);
  expect(await next.nextJob()).toMatchObject({ attempt: 1 });
});

it("a worker is not busy with jobs that never reached it", async () => {
  await using test = await createTestEngine();
  const worker = addWorker(test);
  await new ScriptedWorker(test.engine, worker).greet(2);
  await test.submit();
  await test.submit();
  await test.clock.settle();
  expect(worker.heldCount).toBe(2);
  await test.clock.advance(1_000);
  await new ScriptedWorker(test.engine, worker).greet(0);
  expect([worker.heldCount, worker.idleSince]).toEqual([0, test.clock.now()]);
});
