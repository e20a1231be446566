/** The scaler's decisions: bounds, growth by both formulas, idleness, new versions, backoff. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decideScale,
  type ScalableWorker,
  type ScalerInput,
} from "../../../emulator/core/scaler.ts";

const NOW = 1_000_000;

function worker(id: string, overrides: Partial<ScalableWorker> = {}): ScalableWorker {
  return {
    id,
    state: "ready",
    hasProcess: true,
    heldCount: 1,
    idleSince: NOW,
    endpointVersion: 1,
    ...overrides,
  };
}

function decide(
  overrides: Omit<Partial<ScalerInput>, "endpoint"> & {
    endpoint?: Partial<ScalerInput["endpoint"]>;
  } = {},
) {
  return decideScale({
    now: NOW,
    inQueue: 0,
    inProgress: 0,
    oldestQueuedAt: undefined,
    workers: [],
    lastStartAt: undefined,
    notBefore: 0,
    ...overrides,
    endpoint: {
      workersMin: 0,
      workersMax: 3,
      idleTimeout: 5,
      scalerType: "QUEUE_DELAY",
      scalerValue: 4,
      version: 1,
      ...overrides.endpoint,
    },
  });
}

describe("the scaler", () => {
  it("keeps workersMin without any job", () => {
    expect(decide({ endpoint: { workersMin: 2 } }).start).toBe(2);
    expect(decide().start).toBe(0);
  });

  it("starts the first worker as soon as a job waits", () => {
    expect(decide({ inQueue: 1, oldestQueuedAt: NOW }).start).toBe(1);
  });

  it("by QUEUE_DELAY adds a worker when the oldest job waited scalerValue seconds, and says when that will be", () => {
    const waiting = { inQueue: 9, workers: [worker("a")] };
    expect(decide({ ...waiting, oldestQueuedAt: NOW - 3_999 })).toMatchObject({
      start: 0,
      dueAt: NOW + 1,
    });
    expect(decide({ ...waiting, oldestQueuedAt: NOW - 4_000 }).start).toBe(1);
  });

  it("by QUEUE_DELAY adds the next worker no sooner than scalerValue seconds after the last", () => {
    const input = { inQueue: 9, workers: [worker("a")], oldestQueuedAt: NOW - 60_000 };
    expect(decide({ ...input, lastStartAt: NOW - 1_000 })).toMatchObject({
      start: 0,
      dueAt: NOW + 3_000,
    });
    expect(decide({ ...input, lastStartAt: NOW - 4_000 }).start).toBe(1);
  });

  it("by REQUEST_COUNT wants one worker per scalerValue jobs, waiting and running", () => {
    const endpoint = { scalerType: "REQUEST_COUNT", scalerValue: 4, workersMax: 10 } as const;
    expect(decide({ endpoint, inQueue: 7, inProgress: 2 }).start).toBe(3);
    expect(
      decide({ endpoint, inQueue: 7, inProgress: 2, workers: [worker("a"), worker("b")] }).start,
    ).toBe(1);
  });

  it("never exceeds workersMax, and with workersMax 0 lets idle workers go at once", () => {
    const endpoint = { scalerType: "REQUEST_COUNT", scalerValue: 1, workersMax: 2 } as const;
    expect(decide({ endpoint, inQueue: 50 }).start).toBe(2);
    expect(
      decide({ endpoint: { workersMax: 0 }, workers: [worker("a", { heldCount: 0 })] }).drain,
    ).toEqual(["a"]);
  });

  it("lets a worker go after idleTimeout seconds without a job, the longest idle first, down to workersMin", () => {
    const workers = [
      worker("a", { heldCount: 0, idleSince: NOW - 5_000 }),
      worker("b", { heldCount: 0, idleSince: NOW - 9_000 }),
      worker("c", { heldCount: 0, idleSince: NOW - 1_000 }),
    ];
    expect(decide({ workers, endpoint: { workersMin: 1 } }).drain).toEqual(["b", "a"]);
    expect(
      decide({ workers: [worker("c", { heldCount: 0, idleSince: NOW - 1_000 })] }),
    ).toMatchObject({
      drain: [],
      dueAt: NOW + 4_000,
    });
  });

  it("replaces workers of an older version", () => {
    const decision = decide({
      endpoint: { workersMin: 1, version: 2 },
      workers: [worker("old"), worker("gone", { state: "draining" })],
    });
    expect(decision).toMatchObject({ start: 1, drain: ["old"] });
  });

  it("waits out the backoff of workers that could not initialize", () => {
    const broken = {
      inQueue: 1,
      oldestQueuedAt: NOW,
      workers: [worker("x", { state: "unhealthy", hasProcess: false, heldCount: 0 })],
    };
    expect(decide({ ...broken, notBefore: NOW + 8_000 })).toMatchObject({
      start: 0,
      dueAt: NOW + 8_000,
    });
    expect(decide({ ...broken, notBefore: NOW }).start).toBe(1);
  });

  it("replaces a worker that could not initialize only when its process has ended", () => {
    const failing = { state: "unhealthy", heldCount: 0 } as const;
    const endpoint = { workersMin: 2 };
    const beside = worker("y");
    const still = [worker("x", { ...failing, hasProcess: true }), beside];
    expect(decide({ endpoint, workers: still })).toEqual({ start: 0, drain: [], dueAt: undefined });
    const gone = [worker("x", { ...failing, hasProcess: false }), beside];
    expect(decide({ endpoint, workers: gone }).start).toBe(1);
  });

  it("stays within its bounds whatever it is told", () => {
    const arbitraryWorker = fc.record({
      id: fc.uuid(),
      state: fc.constantFrom("initializing", "ready", "draining", "unhealthy"),
      hasProcess: fc.boolean(),
      heldCount: fc.nat(3),
      idleSince: fc.integer({ min: NOW - 20_000, max: NOW }),
      endpointVersion: fc.constantFrom(1, 2),
    });
    const input = fc.record({
      workers: fc.uniqueArray(arbitraryWorker, { maxLength: 8, selector: ({ id }) => id }),
      inQueue: fc.nat(100),
      inProgress: fc.nat(20),
      lastStartAt: fc.option(fc.integer({ min: NOW - 10_000, max: NOW }), { nil: undefined }),
      notBefore: fc.integer({ min: NOW - 5_000, max: NOW + 5_000 }),
      endpoint: fc.record({
        workersMin: fc.nat(3),
        workersMax: fc.integer({ min: 3, max: 6 }),
        scalerType: fc.constantFrom("QUEUE_DELAY", "REQUEST_COUNT"),
        scalerValue: fc.integer({ min: 1, max: 10 }),
      }),
    });
    fc.assert(
      fc.property(input, fc.integer({ min: 0, max: 30_000 }), (given, waitedMs) => {
        const oldestQueuedAt = given.inQueue > 0 ? NOW - waitedMs : undefined;
        const decision = decide({ ...given, oldestQueuedAt });
        const live = given.workers.filter(
          ({ state, endpointVersion }) =>
            (state === "ready" || state === "initializing") && endpointVersion === 1,
        );
        const ending = given.workers.filter(
          ({ state, hasProcess }) => state === "unhealthy" && hasProcess,
        );
        const drained = live.filter(({ id }) => decision.drain.includes(id));
        expect(live.length + decision.start).toBeLessThanOrEqual(
          Math.max(live.length, given.endpoint.workersMax),
        );
        expect(live.length - drained.length + decision.start).toBeGreaterThanOrEqual(
          given.notBefore > NOW
            ? Math.min(live.length, given.endpoint.workersMin)
            : given.endpoint.workersMin - ending.length,
        );
        expect(drained.every(({ heldCount }) => heldCount === 0)).toBe(true);
        if (decision.dueAt !== undefined) expect(decision.dueAt).toBeGreaterThan(NOW);
      }),
    );
  });
});
