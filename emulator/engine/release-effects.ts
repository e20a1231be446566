/** Releases the effects of a committed step: orders to workers, changes to watchers, timers, endpoints to look at. */
import type { Uses } from "./context.ts";
import type { Effects } from "./effects.ts";
import { sendAssignment } from "./jobs/assign.ts";

type ReleaseUses = Uses<
  | "clock"
  | "dueTimer"
  | "endpointChanged"
  | "events"
  | "fleet"
  | "inputDamaged"
  | "log"
  | "metrics"
  | "podChanged"
  | "spans"
  | "store"
  | "watchers"
  | "webhookDue"
>;

/** Call it once the step is durable. */
export function releaseEffects(engine: ReleaseUses, effects: Effects): void {
  for (const { job, move } of effects.moves) {
    engine.events.publish(move);
    engine.metrics.jobMoved(job, move);
    engine.spans?.moved(job, move);
  }
  for (const assignment of effects.assignments) sendAssignment(engine, assignment);
  for (const effect of effects.ofJobs) {
    switch (effect.type) {
      case "offer":
        break;
      case "revoke":
        engine.fleet.find(effect.workerId)?.revoke(effect, engine.clock.now());
        break;
      case "settled":
        engine.watchers.publish(effect.job.id, {
          ...effect,
          output: effects.outputs.get(effect.job.id),
        });
        break;
      case "chunks": {
        const batches = effects.chunks.get(effect.job.id) ?? [];
        engine.watchers.publish(effect.job.id, { ...effect, batches });
        break;
      }
      default:
        engine.watchers.publish(effect.job.id, effect);
    }
  }
  engine.dueTimer.aim(effects.earliestDueAt);
  if (effects.webhookDue) engine.webhookDue();
  for (const endpointId of effects.changedEndpoints) engine.endpointChanged(endpointId);
  for (const podId of effects.changedPods) engine.podChanged(podId);
}
