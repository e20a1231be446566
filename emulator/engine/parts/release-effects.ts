/** Releases the effects of steps that are durable. */
import { forEachGuarded, type OnDefect } from "../../core/guarded.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { Assignment, Effect, Effects } from "../steps/effects.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { WakePort } from "../steps/wake-port.ts";

export interface ReleaseParts extends StepPort, TellPort, TimePort, WakePort, WorkerPort {
  /** Sends jobs to the workers they were handed to. */
  readonly send: (assignments: readonly Assignment[]) => void;
  /** Reads more waiting jobs of the endpoint. */
  readonly readAhead: (endpointId: string) => void;
  /** Called with each endpoint of whose jobs steps changed some. */
  readonly jobsChanged: (endpointId: string) => void;
  /** Sees to it that the delivery of a job is made in its turn. */
  readonly releaseDelivery: (jobId: string) => void;
  /** Called with what the release of an effect threw: the others are released all the same. */
  readonly onDefect: OnDefect;
}

type Types = readonly Effect["type"][];

/** A hand-over names the span that an observer begins. */
const FACTS: Types = ["moved", "tell"];
/** What follows the hand-overs, in this order: orders to workers go before answers, for a job that runs sooner ends sooner. */
const STAGES: readonly Types[] = [
  ["revoke"],
  ["acknowledge"],
  ["news"],
  ["webhook-due", "later-delivery", "read-ahead", "pod-changed"],
];

export function releaseEffects(engine: ReleaseParts, batch: readonly Effects[]): void {
  const { dueTimer, jobsChanged, onDefect } = engine;
  const effects = batch.flatMap(({ all }) => all);
  const releaseAll = (types: Types) => {
    const ofTypes = effects.filter(({ type }) => types.includes(type));
    forEachGuarded(ofTypes, onDefect, (effect) => release(engine, effect));
  };
  releaseAll(FACTS);
  engine.send(effects.flatMap((each) => (each.type === "hand-over" ? each.assignment : [])));
  for (const types of STAGES) releaseAll(types);
  dueTimer.aim(Math.min(...batch.map(({ earliestDueAt }) => earliestDueAt)));
  const endpointIds = new Set(batch.flatMap(({ changedEndpoints }) => [...changedEndpoints]));
  forEachGuarded(endpointIds, onDefect, jobsChanged);
}

function release(engine: ReleaseParts, effect: Effect): void {
  switch (effect.type) {
    case "moved": {
      const { endpointId } = effect.job;
      const isHeld = engine.ownership.holds(endpointId);
      const depth = isHeld ? engine.steps.countsNow(endpointId) : undefined;
      return engine.tell({ ...effect, type: "job", depth });
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
