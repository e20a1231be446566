/** The clock of service time. */
import { expect, it } from "vitest";
import { serviceClockOf } from "../../../emulator/assembly/service-clock.ts";
import { openSteps } from "../../../emulator/engine/steps/steps.ts";
import { createMemoryStore } from "../../../emulator/store/memory/memory-store.ts";
import { FakeClock } from "../../fake-clock.ts";
import { SharedStore } from "../engine/ownership/shared-store.ts";

it("a manual clock starts at the time of the followed one, and is refused when several replicas share the store", async () => {
  const clock = new FakeClock(5_000);
  const store = createMemoryStore();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const steps = await openSteps(store, { clock, log });
  expect(serviceClockOf({}, { store, steps, clock })).toBe(clock);
  expect(serviceClockOf({ clock: "manual" }, { store, steps, clock }).now()).toBe(5_000);
  const shared = { ...store, ownership: new SharedStore().join() };
  expect(serviceClockOf({}, { store: shared, steps, clock })).toBe(clock);
  expect(() => serviceClockOf({ clock: "manual" }, { store: shared, steps, clock })).toThrow(
    "several emulators share the store",
  );
});
