/** Outside events of the scaler's small world, and how random ones are made. */
import fc from "fast-check";
import type { ScalerInput } from "../../../../emulator/core/workers/scaler.ts";

export type Settings = Omit<ScalerInput["endpoint"], "version">;

/** An outside event. */
export type Happening =
  | {
      readonly kind: "submit";
      readonly count: number;
      readonly runMs: number;
      readonly low: boolean;
    }
  | { readonly kind: "set"; readonly settings: Partial<Settings> }
  | { readonly kind: "release" }
  | { readonly kind: "crash"; readonly pick: number }
  | { readonly kind: "break"; readonly isBroken: boolean }
  | { readonly kind: "devices"; readonly count: number };

export const anySettings: fc.Arbitrary<Settings> = fc
  .record({
    workersMin: fc.nat(2),
    workersMax: fc.integer({ min: 1, max: 5 }),
    idleTimeout: fc.integer({ min: 1, max: 10 }),
    scalerType: fc.constantFrom("QUEUE_DELAY", "REQUEST_COUNT"),
    scalerValue: fc.integer({ min: 1, max: 6 }),
  })
  .map((made) => ({ ...made, workersMin: Math.min(made.workersMin, made.workersMax) }));
const submission = (low: fc.Arbitrary<boolean>) =>
  fc.record({
    kind: fc.constant("submit"),
    count: fc.integer({ min: 1, max: 6 }),
    runMs: fc.constantFrom(0, 10, 900, 8_000, 30_000),
    low,
  });
export const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 5, arbitrary: submission(fc.boolean()) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("set"),
      settings: fc.record(
        {
          workersMin: fc.nat(2),
          workersMax: fc.nat(5),
          idleTimeout: fc.integer({ min: 1, max: 10 }),
          scalerType: fc.constantFrom("QUEUE_DELAY", "REQUEST_COUNT"),
          scalerValue: fc.integer({ min: 1, max: 6 }),
        },
        { requiredKeys: [] },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("release") }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("crash"), pick: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("break"), isBroken: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("devices"), count: fc.nat(4) }) },
);
