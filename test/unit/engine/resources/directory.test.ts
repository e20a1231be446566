/** The directory of records: exactly the stored ones. */
import { expect, it } from "vitest";
import type { Endpoint } from "../../../../emulator/core/resources/endpoints/endpoint.ts";
import { StoreFullError } from "../../../../emulator/core/store-error.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { storeWith } from "../store-with.ts";

/** An engine on a store that stores when the test says so, for which its clock does not wait. */
async function held() {
  const store = createMemoryStore();
  let gate: Promise<void> = Promise.resolve();
  const test = await createTestEngine(
    storeWith(store, {
      async flush(batch) {
        await gate;
        await store.flush(batch);
      },
    }),
  );
  test.clock.isBusy = () => false;
  const hold = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    gate = promise;
    promise.catch(() => undefined);
    return { store: resolve, fail: () => reject(new StoreFullError("no room")) };
  };
  return { test, hold };
}

it("a step's records are known only when they are durable and its effects are released", async () => {
  const { test, hold } = await held();
  await using _ = test;
  const { directory, events, steps } = test.engine;
  const template = directory.template("echo");
  const gate = hold();
  const known: boolean[] = [];
  const look = () =>
    known.push(directory.findTemplate("t") !== undefined, directory.volumes().length === 1);
  const unfollow = events.follow(look);
  const stored = steps.commit((step) => {
    step.putRecord("template", "t", { ...template, id: "t" });
    step.putRecord("networkVolume", "v", { id: "v", name: "v", size: 1, dataCenterId: "local" });
    step.deleteRecord("endpoint", "echo");
  });
  await test.clock.settle();
  look();
  expect(known).toEqual([false, false]);
  expect(directory.endpointIds()).toEqual(new Set(["echo"]));
  gate.store();
  await stored;
  look();
  unfollow();
  expect(known.slice(2)).toEqual([true, true]);
  expect(directory.endpointIds()).toEqual(new Set());
});

it("records that could not be stored are never known, and records of two batches are known as of each batch", async () => {
  const { test, hold } = await held();
  await using _ = test;
  const { directory, steps } = test.engine;
  const endpoint = directory.endpoint("echo");
  const rename = (name: string) =>
    steps.commit((step) => step.putRecord("endpoint", "echo", { ...endpoint, name }));
  const failing = hold();
  const lost = Promise.allSettled([rename("lost")]);
  failing.fail();
  expect((await lost)[0]).toMatchObject({ reason: { code: "storage_full" } });
  expect(directory.endpoint("echo").name).toBe(endpoint.name);
  const gate = hold();
  const first = rename("first");
  await test.clock.settle();
  const second = rename("second");
  gate.store();
  await first;
  expect(directory.endpoint("echo").name).toBe("first");
  await second;
  expect(directory.endpoint("echo").name).toBe("second");
});

it("an endpoint that was stored without a type is a queue", async () => {
  const store = createMemoryStore();
  const before = await createTestEngine(store);
  const { type: _, ...old } = before.engine.directory.endpoint("echo");
  await before.engine.steps.commit((step) =>
    step.putRecord("endpoint", "old", { ...old, id: "old" } as Endpoint),
  );
  await using test = await createTestEngine(storeWith(store, {}));
  const ofStep = await test.engine.steps.commit((step) => step.record("endpoint", "old"));
  expect([test.engine.directory.queue("old").type, ofStep?.type]).toEqual(["QUEUE", "QUEUE"]);
});
