/** Recorded decisions of the scaler: changes, and each reason for a hold-back once. */
import { expect, it } from "vitest";
import type { ScaleDecision, ScaleReason } from "../../../../emulator/core/workers/scale-reason.ts";
import { DecisionLog } from "../../../../emulator/engine/observe/decision-log.ts";

const decision = (reasons: readonly ScaleReason[], change: Partial<ScaleDecision> = {}) => ({
  ...{ at: 0, start: 0, drain: [], workers: 2, wanted: 2 },
  ...change,
  reasons,
});
const atMaximum = (waiting: number): readonly ScaleReason[] => [
  { type: "request-count", waiting, running: 2, scalerValue: 1, workers: waiting + 2 },
  { type: "at-maximum", workersMax: 2 },
];

/** Keeps the decision if it is relevant; returns whether it is. */
function decide(log: DecisionLog, made: ScaleDecision): boolean {
  const isNew = log.isNew("x", made);
  if (isNew) log.take({ type: "scale", endpointId: "x", decision: made });
  return isNew;
}

it("a fluctuating load at the maximum is recorded as one decision, not one for each job", () => {
  const log = new DecisionLog();
  for (let job = 0; job < 1_000; job += 1) {
    decide(log, decision(atMaximum(job % 7)));
    decide(log, decision([]));
  }
  expect(log.of("x")).toHaveLength(1);
});

it("decisions with a change are always kept, and a later hold-back is logged again", () => {
  const log = new DecisionLog();
  decide(log, decision(atMaximum(1)));
  decide(log, decision([{ type: "idle", idleTimeout: 5 }], { drain: ["a"] }));
  decide(log, decision([{ type: "idle", idleTimeout: 5 }], { drain: ["b"] }));
  decide(log, decision(atMaximum(1)));
  decide(log, decision([{ type: "first-job" }, { type: "refused", reason: "no GPU is free" }]));
  expect(log.of("x").map(({ reasons }) => reasons.at(-1)?.type)).toEqual([
    "at-maximum",
    "idle",
    "idle",
    "at-maximum",
    "refused",
  ]);
});

it("an endpoint keeps its newest 200 decisions, and none after it was dropped", () => {
  const log = new DecisionLog();
  for (let at = 0; at < 300; at += 1) decide(log, decision([], { at, start: 1 }));
  expect([log.of("x").length, log.of("x")[0]?.at]).toEqual([200, 100]);
  log.take({ type: "endpoint", endpointId: "x", change: "deleted" });
  expect(log.of("x")).toEqual([]);
});
