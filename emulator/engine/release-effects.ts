/** Releases the effects of a committed step: orders to workers, changes for watchers, timers, endpoints to decide about. */
import type { Uses } from "./context.ts";
import type { Assignment, Effects } from "./effects.ts";

type ReleaseUses = Uses<
  "clock" | "dueTimer" | "endpointChanged" | "fleet" | "podChanged" | "watchers" | "webhookDue"
>;

export interface ReleaseParts extends ReleaseUses {
  /** Called with each job whose status changed. */
  readonly observe: (moved: Effects["moves"][number]) => void;
  /** Sends a job to the worker it was handed to. */
  readonly send: (assignment: Assignment) => void;
}

/** Call it when the step is durable. */
export function releaseEffects(engine: ReleaseParts, effects: Effects): void {
  for (const moved of effects.moves) engine.observe(moved);
  for (const assignment of effects.assignments) engine.send(assignment);
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
