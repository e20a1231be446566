/** Readiness of the service: after its start, while its store works. */
import { beforeEach, expect, it } from "vitest";
import { StoreFullError } from "../../../../emulator/core/store-error.ts";
import { Readiness } from "../../../../emulator/engine/steps/readiness.ts";
import { openSteps, type Steps } from "../../../../emulator/engine/steps/steps.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { FakeClock } from "../../../fake-clock.ts";

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

let clock: FakeClock;
let steps: Steps;
let readiness: Readiness;
/** Ways to break the store. */
let broken: { flush?: Error; read?: Promise<never> };
let asked: number;

const missing = () => readiness.missing({ steps, realClock: clock });
const write = (secret: string) =>
  steps.commit((step) => step.putRecord("webhookSecret", "webhook", { secret }));

beforeEach(async () => {
  [broken, asked, clock, readiness] = [{}, 0, new FakeClock(), new Readiness()];
  const store = createMemoryStore();
  const [job, flush] = [store.job.bind(store), store.flush.bind(store)];
  store.job = (id) => {
    asked += 1;
    return broken.read ?? job(id);
  };
  store.flush = async (batch) => {
    if (broken.flush) throw broken.flush;
    return flush(batch);
  };
  steps = await openSteps(store, { log: SILENT, clock });
});

it("the service is ready once it has started", async () => {
  expect(await missing()).toEqual(["the start is not finished"]);
  readiness.started();
  expect(await missing()).toEqual([]);
});

it("the service names all problems", async () => {
  readiness.storeAway(true);
  expect(await missing()).toEqual(["the start is not finished", "the store is missing"]);
});

it("the service is not ready while the store is away", async () => {
  readiness.started();
  readiness.storeAway(true);
  expect(await missing()).toEqual(["the store is missing"]);
  readiness.storeAway(false);
  expect(await missing()).toEqual([]);
});

it("the service is not ready for 10 s after a failed batch, or until a batch is stored", async () => {
  readiness.started();
  broken.flush = new StoreFullError("no room");
  await expect(write("a")).rejects.toThrow("no room");
  expect(await missing()).toEqual(["the last write to the store failed"]);
  await clock.advance(9_999);
  expect(await missing()).toHaveLength(1);
  await clock.advance(1);
  expect(await missing()).toEqual([]);
  await expect(write("b")).rejects.toThrow("no room");
  expect(await missing()).toHaveLength(1);
  delete broken.flush;
  await write("c");
  expect(await missing()).toEqual([]);
});

it("the service is not ready while the store cannot be read", async () => {
  readiness.started();
  broken.read = Promise.reject(new Error("damaged"));
  expect(await missing()).toEqual(["the store cannot be read"]);
});

it("the service is not ready if the store takes longer than 2 s to answer, and asks it once meanwhile", async () => {
  readiness.started();
  const reading = Promise.withResolvers<never>();
  broken.read = reading.promise;
  const answers = [missing(), missing()];
  await clock.advance(2_000);
  const late = missing();
  await clock.advance(2_000);
  expect(await Promise.all([...answers, late])).toEqual(
    Array.from({ length: 3 }, () => ["the store does not answer"]),
  );
  expect(asked).toBe(1);
  reading.reject(new Error("gone"));
  delete broken.read;
  await clock.settle();
  expect(await missing()).toEqual([]);
  expect(clock.armed).toBe(0);
});
