/** Properties of the scaler's decisions for any input. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isHold } from "../../../../emulator/core/workers/scale-reason.ts";
import {
  decideScale,
  type ScalableWorker,
  type ScalerInput,
} from "../../../../emulator/core/workers/scaler.ts";

const NOW = 1_000_000;

describe("for any input the scaler", () => {
  const past = (ms: number) => fc.integer({ min: NOW - ms, max: NOW });
  const anyWorker = fc
    .record({
      id: fc.uuid(),
      state: fc.constantFrom("initializing", "ready", "draining", "unhealthy", "lost"),
      hasProcess: fc.boolean(),
      heldCount: fc.nat(3),
      idleSince: past(20_000),
      endpointVersion: fc.constantFrom(1, 2),
    })
    .map((made): ScalableWorker =>
      made.state === "initializing" ? { ...made, heldCount: 0 } : made,
    );
  const anyInput: fc.Arbitrary<ScalerInput> = fc
    .record({
      now: fc.constant(NOW),
      workers: fc.uniqueArray(anyWorker, { maxLength: 8, selector: ({ id }) => id }),
      demand: fc.oneof(
        fc.record({
          waiting: fc.constant(0),
          running: fc.nat(20),
          waitingSince: fc.constant(undefined),
        }),
        fc.record({
          waiting: fc.integer({ min: 1, max: 100 }),
          running: fc.nat(20),
          waitingSince: past(30_000),
        }),
      ),
      lastStartAt: fc.option(past(10_000), { nil: undefined }),
      notBefore: fc.integer({ min: NOW - 5_000, max: NOW + 5_000 }),
      isProbing: fc.boolean(),
      endpoint: fc.record({
        workersMin: fc.nat(3),
        workersMax: fc.integer({ min: 0, max: 6 }),
        idleTimeout: fc.integer({ min: 1, max: 10 }),
        scalerType: fc.constantFrom("QUEUE_DELAY", "REQUEST_COUNT"),
        scalerValue: fc.integer({ min: 1, max: 10 }),
        version: fc.constant(1),
      }),
    })
    .map((input) => {
      const workersMin = Math.min(input.endpoint.workersMin, input.endpoint.workersMax);
      return { ...input, endpoint: { ...input.endpoint, workersMin } };
    });
  const isLive = ({ state, endpointVersion }: ScalableWorker) =>
    (state === "ready" || state === "initializing") && endpointVersion === 1;

  it("stays within its bounds, and returns no past time", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { workersMin, workersMax } = input.endpoint;
        const { start, missing, drain, dueAt } = decideScale(input);
        const kept = input.workers.filter((one) => isLive(one) && !drain.includes(one.id)).length;
        const ending = input.workers.filter(
          ({ state, hasProcess, endpointVersion }) =>
            (state === "unhealthy" || state === "lost") && hasProcess && endpointVersion === 1,
        );
        expect(kept + start).toBeLessThanOrEqual(workersMax);
        expect(kept + missing + ending.length).toBeGreaterThanOrEqual(workersMin);
        expect(start).toBeLessThanOrEqual(missing);
        if (dueAt !== undefined) expect(dueAt).toBeGreaterThan(NOW);
      }),
      { numRuns: 2_000 },
    );
  });

  it("has a reason for each decision and each hold-back", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { start, missing, drain, reasons } = decideScale(input);
        const speaking = reasons.filter((reason) => !isHold(reason));
        if (start > 0 || drain.length > 0) expect(speaking).not.toEqual([]);
        if (start < missing) expect(reasons.filter(isHold)).not.toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("decides the same a second time, and changes nothing", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const before = structuredClone(input);
        expect(decideScale(input)).toEqual(decideScale(structuredClone(input)));
        expect(input).toEqual(before);
      }),
    );
  });

  it("never starts workers for load and stops idle ones at once", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { start, drain } = decideScale(input);
        const current = input.workers.filter((one) => isLive(one) && drain.includes(one.id));
        expect(start === 0 || current.length === 0).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("decides nothing new before the time it returned: it may sleep until then", () => {
    const later = fc.integer({ min: 1, max: 40_000 });
    fc.assert(
      fc.property(anyInput, later, (input, ms) => {
        const first = decideScale(input);
        const now = Math.min(NOW + ms, (first.dueAt ?? Number.POSITIVE_INFINITY) - 1);
        const { dueAt: _, ...then } = decideScale({ ...input, now });
        const { dueAt: __, ...atFirst } = first;
        expect(then).toEqual(atFirst);
      }),
      { numRuns: 2_000 },
    );
  });
});
