/** Advances of service time: the order of due events, concurrent changes, and the state after a failed advance. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { advanceClock } from "../../../../emulator/engine/time/advance-clock.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { temporaryTree } from "../../../temporary-tree.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";
import { storeThatFills } from "../filling-store.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const never = new AbortController().signal;

const advance = async ({ engine }: TestEngine, byMs: number, signal = never) =>
  advanceClock(engine, byMs, signal);

/** Calls `act` in `inMs` of service time; its work counts as pending until it is done. */
function due({ engine }: TestEngine, inMs: number, act: () => Promise<void>): void {
  const { pendingWork, clock } = engine;
  clock.wakeAt(clock.now() + inMs, () => void pendingWork.track("a test", act()));
}

it("an advance meets due times in order, new ones too, each after the previous one has settled", async () => {
  await using test = await createTestEngine();
  const { engine } = test;
  const startedAt = engine.clock.now();
  const seen: string[] = [];
  const look = (name: string) => {
    seen.push(`${name} at ${(engine.clock.now() - startedAt) / 1_000} s`);
  };
  due(test, 20_000, async () => look("second try was due before it"));
  due(test, 5_000, async () => {
    look("first try");
    await engine.steps.read(async () => undefined);
    look("first try failed");
    due(test, 10_000, async () => look("second try"));
  });
  const { settled, now } = await advance(test, 31 * MINUTE_MS);
  expect(seen).toEqual([
    "first try at 5 s",
    "first try failed at 5 s",
    "second try at 15 s",
    "second try was due before it at 20 s",
  ]);
  expect([settled, now - startedAt]).toEqual([true, 31 * MINUTE_MS]);
});

it("an advance does not move time for work that is due after it", async () => {
  await using test = await createTestEngine();
  let happened = false;
  due(test, 1_000, async () => {
    happened = true;
  });
  await advance(test, 999);
  expect(happened).toBe(false);
  await test.clock.advance(1);
  expect(happened).toBe(true);
});

it("an advance covers any number of due times, in bounded steps", async () => {
  await using test = await createTestEngine();
  const startedAt = test.engine.clock.now();
  let ticks = 0;
  let lastAt = 0;
  const tick = async () => {
    ticks += 1;
    lastAt = test.engine.clock.now();
    due(test, 1_000, tick);
  };
  due(test, 1_000, tick);
  const { now } = await advance(test, 7 * DAY_MS);
  expect(now - startedAt).toBe(7 * DAY_MS);
  expect(ticks).toBeGreaterThan(1_000);
  expect(ticks).toBeLessThan(1_200);
  // The last step ends with the advance.
  expect(lastAt).toBe(now);
});

it("a job that begins during an advance has its whole lease and its whole time", async () => {
  await using test = await createTestEngine();
  const { engine, clock } = test;
  const { id } = await test.submit({ lowPriority: true });
  due(test, 5 * MINUTE_MS, async () => {
    await test.connectWorker();
  });
  due(test, 20 * MINUTE_MS, async () => clock.advance(2_000));
  await advance(test, 31 * MINUTE_MS);
  await clock.advance(LIMITS.leaseMs - 2_001);
  const job = await test.job(id);
  expect(job).toMatchObject({ status: "IN_PROGRESS", delayTimeMs: 5 * MINUTE_MS });
  expect(engine.clock.now() - (job?.startedAt ?? 0)).toBe(LIMITS.leaseMs - 1);
  await clock.advance(1);
  expect(await test.job(id)).toMatchObject({ status: "IN_QUEUE" });
});

it("a job that ends during an advance is measured by its handler's time", async () => {
  await using test = await createTestEngine();
  const worker = await test.connectWorker();
  const { id } = await test.submit({ lowPriority: true });
  const handed = await worker.nextJob();
  await test.clock.advance(4_000);
  due(test, 10 * MINUTE_MS, async () => worker.complete(handed));
  await advance(test, 31 * MINUTE_MS);
  expect(await test.job(id)).toMatchObject({ status: "COMPLETED", executionTimeMs: 4_000 });
});

it("an advance without its caller does not wait for pending work, but completes", async () => {
  await using test = await createTestEngine();
  const startedAt = test.engine.clock.now();
  const { promise, resolve } = Promise.withResolvers<void>();
  due(test, 1_000, async () => promise);
  const gone = new AbortController();
  const advanced = advance(test, MINUTE_MS, gone.signal);
  while (!test.engine.pendingWork.underWay.includes("a test")) await test.clock.settle();
  expect(test.engine.clock.now() - startedAt).toBe(1_000);
  gone.abort();
  expect(await advanced).toMatchObject({
    now: startedAt + MINUTE_MS,
    settled: false,
    underWay: ["a test"],
  });
  resolve();
});

it("service time continues after a restart from the advanced time", async () => {
  await using tree = await temporaryTree({ "data/": "" });
  const directory = join(tree.root, "data");
  const first = await createTestEngine(await openSqliteStore({ directory }));
  const { id } = await first.submit({ lowPriority: true, ttlMs: DAY_MS });
  await advance(first, DAY_MS - 1_000);
  await advance(first, 500);
  const reached = first.engine.clock.now();
  await first.stop();
  await using second = await createTestEngine(await openSqliteStore({ directory }));
  expect(second.engine.clock.now()).toBe(reached);
  expect(await second.job(id)).toBeDefined();
  await second.clock.advance(500);
  expect(await second.job(id)).toBeUndefined();
});

it("an advance that cannot be stored moves neither time nor jobs", async () => {
  const { store, fill } = storeThatFills();
  await using test = await createTestEngine(store);
  const worker = await test.connectWorker();
  const { id } = await test.submit({ lowPriority: true });
  await worker.nextJob();
  const before = await test.job(id);
  const startedAt = test.engine.clock.now();
  fill(true);
  await expect(advance(test, MINUTE_MS)).rejects.toMatchObject({ code: "storage_full" });
  expect(test.engine.clock.now()).toBe(startedAt);
  expect(await test.job(id)).toEqual(before);
  fill(false);
  await advance(test, MINUTE_MS);
  expect(test.engine.clock.now()).toBe(startedAt + MINUTE_MS);
  expect((await test.job(id))?.lease?.expiresAt).toBe((before?.lease?.expiresAt ?? 0) + MINUTE_MS);
});
