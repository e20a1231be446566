/** Which decisions of the scaler are kept: those that change something, and what holds back others, said once. */
import { expect, it } from "vitest";
import type { ScaleDecision, ScaleReason } from "../../../../emulator/core/workers/scale-reason.ts";
import { DecisionLog } from "../../../../emulator/engine/workers/scaling/decision-log.ts";

const decision = (reasons: readonly ScaleReason[], change: Partial<ScaleDecision> = {}) => ({
  ...{ at: 0, start: 0, drain: [], workers: 2, wanted: 2 },
  ...change,
  reasons,
});
const atMaximum = (waiting: number): readonly ScaleReason[] => [
  { type: "request-count", waiting, running: 2, scalerValue: 1, workers: waiting + 2 },
  { type: "at-maximum", workersMax: 2 },
];

it("under a load that comes and goes at the maximum one decision is kept, not one for each job", () => {
  const told: string[] = [];
  const log = new DecisionLog((endpointId) => told.push(endpointId));
  for (let job = 0; job < 1_000; job += 1) {
    log.add("x", decision(atMaximum(job % 7)));
    log.add("x", decision([]));
  }
  expect(log.of("x")).toHaveLength(1);
  expect(told).toEqual(["x"]);
});

it("what changes something is always kept, and what holds back after that is told again", () => {
  const log = new DecisionLog(() => undefined);
  log.add("x", decision(atMaximum(1)));
  log.add("x", decision([{ type: "idle", idleTimeout: 5 }], { drain: ["a"] }));
  log.add("x", decision([{ type: "idle", idleTimeout: 5 }], { drain: ["b"] }));
  log.add("x", decision(atMaximum(1)));
  log.add("x", decision([{ type: "first-job" }, { type: "refused", reason: "no GPU is free" }]));
  expect(log.of("x").map(({ reasons }) => reasons.at(-1)?.type)).toEqual([
    "at-maximum",
    "idle",
    "idle",
    "at-maximum",
    "refused",
  ]);
});

it("an endpoint keeps its newest 200, and nothing when it is forgotten", () => {
  const log = new DecisionLog(() => undefined);
  for (let at = 0; at < 300; at += 1) log.add("x", decision([], { at, start: 1 }));
  expect([log.of("x").length, log.of("x")[0]?.at]).toEqual([200, 100]);
  log.forgetEndpoint("x");
  expect(log.of("x")).toEqual([]);
});
