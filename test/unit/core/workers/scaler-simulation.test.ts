/** The scaler over time, in a small world: thousands of random histories. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { anyHappening, anySettings } from "./happening.ts";
import { ScaledWorld } from "./scaled-world.ts";
import { sized } from "../../../setup/size.ts";

const HISTORIES = sized(3_000, 10_000);

const anyHistory = fc.record({
  settings: anySettings,
  startMs: fc.constantFrom(0, 100, 3_000, 70_000),
  concurrency: fc.integer({ min: 1, max: 3 }),
  happenings: fc.array(fc.tuple(fc.constantFrom(0, 1, 40, 999, 4_000, 20_000), anyHappening), {
    maxLength: 12,
  }),
});

it("the scaler keeps its bounds, never flaps, misses no due time and drains the queue, in any history", () => {
  let starts = 0;
  fc.assert(
    fc.property(anyHistory, ({ settings, startMs, concurrency, happenings }) => {
      const world = new ScaledWorld(settings, startMs, concurrency);
      for (const [pauseMs, happening] of happenings) {
        world.run(world.now + pauseMs);
        world.happen(happening);
      }
      // From here on workers can start, so everything must settle.
      world.happen({ kind: "break", isBroken: false });
      world.happen({ kind: "devices", count: 100 });
      const hasRested = world.run();
      starts += world.starts;
      const { workersMin, workersMax } = world.settings;
      const { waiting, live, running, offences } = world;
      const mayWait = workersMax === 0 ? waiting.normal : 0;
      const lowMayWait = workersMin === 0 ? waiting.low : 0;
      expect({ hasRested, waiting, live, running, offences }).toEqual({
        hasRested: true,
        waiting: { normal: mayWait, low: lowMayWait },
        live: workersMin,
        running: 0,
        offences: [],
      });
      expect(world.hasSleptTooLong()).toBe(false);
    }),
    { numRuns: HISTORIES },
  );
  // The histories test something only if workers came and went in them.
  expect(starts).toBeGreaterThan(2 * HISTORIES);
});
