/** The scaler's decisions: bounds, growth by both formulas, idleness, new versions, failures. */
import { describe, expect, it } from "vitest";
import {
  decideScale,
  type Demand,
  type ScalableWorker,
  type ScalerInput,
} from "../../../../emulator/core/workers/scaler.ts";

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

const idle = (id: string, idleForMs: number) =>
  worker(id, { heldCount: 0, idleSince: NOW - idleForMs });
const starting = (id: string, startedMsAgo = 0) =>
  worker(id, { state: "initializing", heldCount: 0, idleSince: NOW - startedMsAgo });
const workers = (count: number) =>
  Array.from({ length: count }, (_, number) => worker(`w${number}`));

type Overrides = Omit<Partial<ScalerInput>, "endpoint" | "demand"> & {
  readonly endpoint?: Partial<ScalerInput["endpoint"]>;
  readonly demand?: Partial<Demand>;
};

function decide({ endpoint, demand, ...overrides }: Overrides = {}) {
  return decideScale({
    now: NOW,
    workers: [],
    lastStartAt: undefined,
    notBefore: 0,
    isProbing: false,
    ...overrides,
    demand: { waiting: 0, running: 0, waitingSince: undefined, ...demand },
    endpoint: {
      workersMin: 0,
      workersMax: 3,
      idleTimeout: 5,
      scalerType: "QUEUE_DELAY",
      scalerValue: 4,
      version: 1,
      ...endpoint,
    },
  });
}

const BY_COUNT = { scalerType: "REQUEST_COUNT", scalerValue: 1 } as const;
const waiting = (count: number, ms: number) => ({ waiting: count, waitingSince: NOW - ms });

describe("a worker that was started by hand", () => {
  const guest = (overrides: Partial<ScalableWorker> = {}) =>
    worker("guest", { hasProcess: false, heldCount: 0, isExternal: true, ...overrides });

  it("is never ended, be it idle, of an old version, or surplus", () => {
    const long = guest({ idleSince: 0, endpointVersion: 0 });
    expect(decide({ workers: [long] })).toMatchObject({ start: 0, drain: [] });
    expect(decide({ workers: [long], endpoint: { workersMax: 0 } }).drain).toEqual([]);
  });

  it("does work for which no other must be started, and takes the place of one", () => {
    expect(decide({ workers: [guest()], demand: waiting(1, 0) }).start).toBe(0);
    const all = [guest(), worker("a"), worker("b"), idle("c", 0)];
    expect(decide({ workers: all }).drain).toEqual(["c"]);
  });

  it("stays visible when it cannot work", () => {
    expect(decide({ workers: [guest({ state: "unhealthy" })] }).forget).toEqual([]);
  });
});

describe("the scaler, within its bounds,", () => {
  it("keeps workersMin without any job", () => {
    expect(decide({ endpoint: { workersMin: 2 } }).start).toBe(2);
    expect(decide().start).toBe(0);
  });

  it("never exceeds workersMax", () => {
    expect(decide({ endpoint: { ...BY_COUNT, workersMax: 2 }, demand: waiting(50, 0) }).start).toBe(
      2,
    );
  });

  it("with workersMax 0 starts no worker and lets all leave: busy ones after their jobs", () => {
    const all = [idle("a", 0), worker("b"), starting("c")];
    const decision = decide({
      endpoint: { workersMax: 0 },
      workers: all,
      demand: waiting(9, 60_000),
    });
    expect(decision).toMatchObject({ start: 0, missing: 0, drain: ["c", "a", "b"] });
  });

  it("drains the workers that lose least when workersMax is lowered: starting, idle, then those with few jobs", () => {
    const all = [worker("busy", { heldCount: 3 }), worker("less", { heldCount: 1 }), idle("i", 0)];
    expect(decide({ endpoint: { workersMax: 3 }, workers: [...all, starting("s")] }).drain).toEqual(
      ["s"],
    );
    expect(decide({ endpoint: { workersMax: 1 }, workers: all }).drain).toEqual(["i", "less"]);
  });
});

describe("QUEUE_DELAY", () => {
  it("starts the first worker as soon as a job waits", () => {
    expect(decide({ demand: waiting(1, 0) }).start).toBe(1);
  });

  it("adds a worker when the oldest job has waited scalerValue seconds, and returns that time", () => {
    const input = { workers: [worker("a")] };
    expect(decide({ ...input, demand: waiting(9, 3_999) })).toMatchObject({
      start: 0,
      dueAt: NOW + 1,
    });
    expect(decide({ ...input, demand: waiting(9, 4_000) }).start).toBe(1);
  });

  it("adds the next worker no sooner than scalerValue seconds after the last", () => {
    const input = { workers: [worker("a")], demand: waiting(9, 60_000) };
    expect(decide({ ...input, lastStartAt: NOW - 1_000 })).toMatchObject({
      start: 0,
      dueAt: NOW + 3_000,
    });
    expect(decide({ ...input, lastStartAt: NOW - 4_000 }).start).toBe(1);
  });

  it("stops no idle worker while a job waits: it would start again", () => {
    const input = { workers: [idle("restarts its handler", 60_000), worker("b")] };
    expect(decide({ ...input, demand: waiting(1, 0) }).drain).toEqual([]);
    expect(decide(input).drain).toEqual(["restarts its handler"]);
  });
});

describe("REQUEST_COUNT", () => {
  it("wants one worker per scalerValue jobs, waiting and running, rounded up", () => {
    const endpoint = { scalerType: "REQUEST_COUNT", scalerValue: 4, workersMax: 10 } as const;
    const demand = { waiting: 7, running: 2, waitingSince: NOW };
    expect(decide({ endpoint, demand }).start).toBe(3);
    expect(decide({ endpoint, demand, workers: workers(2) }).start).toBe(1);
  });

  it("keeps the workers that its formula wants, and lets the others leave after idleTimeout", () => {
    const input = {
      endpoint: BY_COUNT,
      workers: [worker("a"), idle("b", 9_000), idle("c", 6_000)],
    };
    expect(decide({ ...input, demand: { running: 2 } }).drain).toEqual(["b"]);
    expect(decide({ ...input, demand: { running: 3 } }).drain).toEqual([]);
  });
});

describe("idleness", () => {
  it("lets a worker leave after idleTimeout seconds, the longest idle first, down to workersMin", () => {
    const all = [idle("a", 5_000), idle("b", 9_000), idle("c", 1_000)];
    expect(decide({ workers: all, endpoint: { workersMin: 1 } }).drain).toEqual(["b", "a"]);
    expect(decide({ workers: [idle("c", 1_000)] })).toMatchObject({
      drain: [],
      dueAt: NOW + 4_000,
    });
  });

  it("keeps a ready worker that workersMin wants while its replacement is still starting", () => {
    const endpoint = { workersMin: 1 };
    expect(decide({ endpoint, workers: [idle("a", 60_000), starting("b")] }).drain).toEqual([]);
    expect(decide({ endpoint, workers: [idle("a", 60_000), idle("b", 0)] }).drain).toEqual(["a"]);
  });

  it("never stops a worker that is still starting", () => {
    expect(decide({ workers: [starting("a", 60_000)] })).toMatchObject({
      drain: [],
      dueAt: undefined,
    });
  });
});

describe("a new version", () => {
  it("drains all workers of an older version, and starts new workers beside them", () => {
    const decision = decide({
      endpoint: { workersMin: 1, version: 2 },
      workers: [worker("busy"), idle("idle", 0), worker("gone", { state: "draining" })],
    });
    expect(decision).toMatchObject({ start: 1, drain: ["busy", "idle"] });
  });

  it("does not wait because of failures of an older version", () => {
    const failed = [
      worker("ending", { state: "lost", endpointVersion: 1 }),
      worker("ended", { state: "unhealthy", endpointVersion: 1, hasProcess: false }),
    ];
    const decision = decide({ endpoint: { workersMin: 1, version: 2 }, workers: failed });
    expect(decision).toMatchObject({ start: 1, forget: ["ended"] });
  });
});

describe("failures of workers", () => {
  const failed = worker("x", { state: "unhealthy", hasProcess: false, heldCount: 0 });

  it("cause a pause, in which no worker starts and the worker counts as unhealthy", () => {
    const input = { demand: waiting(1, 0), workers: [failed] };
    expect(decide({ ...input, notBefore: NOW + 8_000 })).toMatchObject({
      start: 0,
      missing: 1,
      drain: [],
      forget: [],
      dueAt: NOW + 8_000,
    });
    expect(decide({ ...input, notBefore: NOW })).toMatchObject({ start: 1, forget: ["x"] });
  });

  it("are dropped in time even if no other worker is wanted", () => {
    expect(decide({ workers: [failed], notBefore: NOW + 1_000 }).dueAt).toBe(NOW + 1_000);
    expect(decide({ workers: [failed], notBefore: NOW }).forget).toEqual(["x"]);
  });

  it("let one worker try first, and the others when it is ready", () => {
    const input = { endpoint: { workersMin: 3 }, isProbing: true };
    expect(decide(input)).toMatchObject({ start: 1, missing: 3 });
    expect(decide({ ...input, workers: [starting("a")] })).toMatchObject({ start: 0, missing: 2 });
    expect(decide({ ...input, workers: [idle("a", 0)], isProbing: false }).start).toBe(2);
  });

  it("occupy their place until the process has ended", () => {
    const endpoint = { workersMin: 2 };
    for (const state of ["unhealthy", "lost"] as const) {
      const still = [worker("x", { state }), worker("y")];
      expect(decide({ endpoint, workers: still })).toMatchObject({ start: 0, dueAt: undefined });
      const gone = [worker("x", { state, hasProcess: false }), worker("y")];
      expect(decide({ endpoint, workers: gone }).start).toBe(1);
    }
  });
});
