/** Properties of an endpoint's workers over any history: states, events, counts, and bills. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { FleetWorld, type Happening } from "./fleet-world.ts";

const pick = fc.nat(5);
const anyReport = fc.constantFrom(
  {},
  { ready: { concurrency: 1 }, credit: 1 },
  { initFailure: { type: "handler_error" as const, message: "it cannot be loaded" } },
  { draining: true },
);
const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("submit") }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("connect"), pick }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("say"), pick, report: anyReport }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("complete"), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("exit"), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("pass"),
      ms: fc.constantFrom(10, 1_000, 5_000, 16_000, 61_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("set"),
      workersMin: fc.nat(1),
      workersMax: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("release") }) },
);

it("workers are reported, counted and billed correctly, take jobs only while ready, and end once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyHappening, { minLength: 5, maxLength: 30 }), async (history) => {
      await using world = await FleetWorld.set();
      for (const happening of history) await world.happen(happening);
      await world.end();
      expect(world.offences).toEqual([]);
      expect(world.seen.size).toBe(world.scene.launcher.launched.length);
      const bills = await world.bills();
      for (const [id, { states, readyAt, exitedAt }] of world.seen) {
        expect(states[0]).toBe("initializing");
        expect(states.indexOf("ended")).toBe(states.length - 1);
        const bill = { startedAt: readyAt, endedAt: exitedAt };
        expect(bills.get(id) ?? []).toMatchObject(readyAt === undefined ? [] : [bill]);
      }
    }),
    { numRuns: 40 },
  );
});
