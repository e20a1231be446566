/** Reasons of the scaler: one for each decision and hold-back, and none otherwise. */
import { expect, it } from "vitest";
import {
  isHold,
  reasonInWords,
  type ScaleReason,
} from "../../../../emulator/core/workers/scale-reason.ts";
import {
  decideScale,
  type ScalableWorker,
  type ScalerInput,
} from "../../../../emulator/core/workers/scaler.ts";

const NOW = 1_000_000;
const ready: ScalableWorker = {
  ...{ id: "a", state: "ready", hasProcess: true, heldCount: 1 },
  ...{ idleSince: NOW, endpointVersion: 1 },
};
const NONE = { waiting: 0, running: 0, waitingSince: undefined };
const waiting = (count: number, ms: number) => ({
  ...{ waiting: count, running: 1, waitingSince: NOW - ms },
});

type Overrides = Omit<Partial<ScalerInput>, "endpoint"> & {
  readonly endpoint?: Partial<ScalerInput["endpoint"]>;
};

function decide({ endpoint, ...overrides }: Overrides) {
  return decideScale({
    ...{ now: NOW, workers: [], lastStartAt: undefined, notBefore: 0, isProbing: false },
    demand: NONE,
    ...overrides,
    endpoint: {
      ...{ workersMin: 0, workersMax: 3, idleTimeout: 5, version: 1 },
      ...{ scalerType: "QUEUE_DELAY", scalerValue: 4 },
      ...endpoint,
    },
  });
}

const BY_COUNT = { scalerType: "REQUEST_COUNT", scalerValue: 2 } as const;
const failing = { ...ready, state: "unhealthy" } as const;
const starting = { ...ready, state: "initializing", heldCount: 0 } as const;
const idle = { ...ready, heldCount: 0, idleSince: NOW - 6_000 };

const CASES: readonly (readonly [string, Overrides])[] = [
  ["", {}],
  ["", { workers: [ready] }],
  ["workersMin asks for 2 workers", { endpoint: { workersMin: 2 } }],
  ["a job waits, and there is no worker", { demand: waiting(1, 0) }],
  ["", { demand: waiting(1, 3_999), workers: [ready] }],
  [
    "the oldest job has waited for 4.5 s, and a worker is added after 4 s (scalerValue)",
    { demand: waiting(1, 4_500), workers: [ready] },
  ],
  [
    "held back: workersMax allows 1 worker",
    { demand: waiting(1, 4_500), workers: [ready], endpoint: { workersMax: 1 } },
  ],
  [
    "a job waits, and there is no worker; held back: workersMax allows 0 workers",
    { demand: waiting(1, 0), endpoint: { workersMax: 0 } },
  ],
  [
    "4 waiting and 1 running, 2 for each worker (scalerValue), make 3 workers",
    { demand: waiting(4, 0), workers: [ready], endpoint: BY_COUNT },
  ],
  [
    "a job waits, and there is no worker; held back: a worker failed, and the next one is started in 8 s",
    { demand: waiting(1, 0), notBefore: NOW + 8_000 },
  ],
  [
    "workersMin asks for 3 workers; held back: a worker failed, and the next ones are started one at a time until one is ready",
    { isProbing: true, endpoint: { workersMin: 3 } },
  ],
  [
    "a job waits, and there is no worker; held back: 1 failed worker must end first",
    { demand: waiting(1, 0), workers: [failing] },
  ],
  [
    "workersMin asks for 1 worker; workers of earlier versions leave: this is version 2",
    { workers: [ready], endpoint: { version: 2, workersMin: 1 } },
  ],
  ["workersMax allows only 1 worker", { workers: [ready, starting], endpoint: { workersMax: 1 } }],
  ["idle for longer than 5 s (idleTimeout)", { workers: [idle] }],
];

it.each(CASES)("%j", (words, input) => {
  const { reasons } = decide(input);
  expect(reasonInWords({ at: NOW, reasons })).toBe(words);
});

it("a refusal gives its reason", () => {
  const reasons: readonly ScaleReason[] = [
    { type: "first-job" },
    { type: "refused", reason: "no GPU is free" },
  ];
  const words = "a job waits, and there is no worker; held back: no GPU is free";
  expect(reasonInWords({ at: NOW, reasons })).toBe(words);
  expect(reasons.map(isHold)).toEqual([false, true]);
});
