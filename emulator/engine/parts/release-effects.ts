/** Releases the effects of durable steps. */
import { forEachGuarded, type OnDefect } from "../../core/guarded.ts";
import { attemptEndOf } from "../../core/observe/log/attempt-end.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { Assignment, Effect, Effects } from "../steps/effects.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { WakePort } from "../steps/wake-port.ts";

export interface ReleaseParts extends StepPort, TellPort, TimePort, WakePort, WorkerPort {
  /** Sends jobs to their workers. */
  readonly send: (assignments: readonly Assignment[]) => void;
  /** Reads more waiting jobs of the endpoint. */
  readonly readAhead: (endpointId: string) => void;
  readonly jobsChanged: (endpointId: string) => void;
  /** Makes sure that a job's delivery is made in its turn. */
  readonly releaseDelivery: (jobId: string) => void;
  /** Called with the error of an effect's release. All other effects are released. */
  readonly onDefect: OnDefect;
}

/**
 * The order of release. Facts come first, because a hand-over names the span that an observer begins. Orders to workers go
 * before answers, because a job that starts sooner ends sooner.
 */
const STAGES: Readonly<Record<Effect["type"], 0 | 1 | 2 | 3 | 4>> = {
  moved: 0,
  tell: 0,
  "hand-over": 1,
  revoke: 1,
  acknowledge: 2,
  news: 3,
  shown: 3,
  "webhook-due": 4,
  "later-delivery": 4,
  "read-ahead": 4,
  "pod-changed": 4,
};
/** The stage that begins with all hand-overs together, so that each worker gets its jobs in order. */
const HAND_OVERS = 1;

export function releaseEffects(engine: ReleaseParts, batch: readonly Effects[]): void {
  const { dueTimer, jobsChanged, onDefect, send } = engine;
  const stages: Effect[][] = [[], [], [], [], []];
  const assignments: Assignment[] = [];
  const endpointIds = new Set<string>();
  let dueAt = Number.POSITIVE_INFINITY;
  for (const { all, changedEndpoints, earliestDueAt } of batch) {
    for (const effect of all) {
      if (effect.type !== "hand-over") stages[STAGES[effect.type]]?.push(effect);
      else if (effect.assignment.isEarly) engine.early.stored(effect.assignment);
      else assignments.push(effect.assignment);
    }
    for (const endpointId of changedEndpoints) endpointIds.add(endpointId);
    dueAt = Math.min(dueAt, earliestDueAt);
  }
  const releaseOne = (effect: Effect) => release(engine, effect);
  for (const [stage, effects] of stages.entries()) {
    if (stage === HAND_OVERS && assignments.length > 0)
      forEachGuarded([assignments], onDefect, send);
    if (effects.length > 0) forEachGuarded(effects, onDefect, releaseOne);
  }
  if (Number.isFinite(dueAt)) dueTimer.aim(dueAt);
  if (endpointIds.size > 0) forEachGuarded(endpointIds, onDefect, jobsChanged);
}

function release(engine: ReleaseParts, effect: Effect): void {
  switch (effect.type) {
    case "moved": {
      const { endpointId } = effect.job;
      const isHeld = engine.ownership.holds(endpointId);
      const depth = isHeld ? engine.steps.countsNow(endpointId) : undefined;
      const ended = attemptEndOf(effect, engine.clock.now());
      return engine.tell({ ...effect, type: "job", depth, ended });
    }
    case "tell":
      return engine.tell(effect.fact);
    case "hand-over":
      return;
    case "revoke":
      return engine.fleet.find(effect.workerId)?.revoke(effect, engine.clock.now());
    case "acknowledge":
      return effect.session.acknowledge(effect.report, effect.receipts);
    case "news":
      return engine.watchers.publish(effect.change.job.id, effect.change);
    case "shown":
      return engine.earlyChunks.stored(effect.change);
    case "webhook-due":
      return engine.webhookDue();
    case "later-delivery":
      return engine.releaseDelivery(effect.jobId);
    case "read-ahead":
      return engine.readAhead(effect.endpointId);
    case "pod-changed":
      return engine.podChanged(effect.podId);
  }
}
