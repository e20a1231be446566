/** Releases the effects of steps that are durable: orders to workers, changes to watchers, timers, endpoints to look at. */
import { forEachGuarded, type OnDefect } from "../../core/guarded.ts";
import type { JobEffect } from "../../core/jobs/job-transition.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { HistoryPort } from "../observe/tell-port.ts";
import type { WakePort } from "./wake-port.ts";
import type { Assignment, Effects, Moved } from "../steps/effects.ts";

type ReleaseUses = TimePort & WorkerPort & HistoryPort & WakePort;

export interface ReleaseParts extends ReleaseUses {
  /** Called with each job whose status changed. */
  readonly observe: (moved: Moved) => void;
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

/** Orders to workers go before answers, for a job that runs sooner ends sooner. A hand-over names the span that `observe` begins. */
export function releaseEffects(engine: ReleaseParts, batch: readonly Effects[]): void {
  const each = <T>(of: (effects: Effects) => Iterable<T>, release: (effect: T) => void) => {
    for (const effects of batch) forEachGuarded(of(effects), engine.onDefect, release);
  };
  each(({ moves }) => moves, engine.observe);
  each(
    ({ changes }) => changes,
    (change) => engine.events.publish(change),
  );
  engine.send(batch.flatMap(({ assignments }) => assignments));
  each(
    ({ ofJobs }) => ofJobs,
    (effect) => revoke(engine, effect),
  );
  each(
    ({ acknowledgements }) => acknowledgements,
    ({ session, report, receipts }) => session.acknowledge(report, receipts),
  );
  for (const effects of batch)
    forEachGuarded(effects.ofJobs, engine.onDefect, (effect) => publish(engine, effects, effect));
  forEachGuarded(batch, engine.onDefect, (effects) => releaseWakes(engine, effects));
}

function revoke(engine: ReleaseParts, effect: JobEffect): void {
  if (effect.type === "revoke")
    engine.fleet.find(effect.workerId)?.revoke(effect, engine.clock.now());
}

function publish(engine: ReleaseParts, effects: Effects, effect: JobEffect): void {
  switch (effect.type) {
    case "offer":
    case "revoke":
      break;
    case "settled": {
      const output = effects.outputs.get(effect.job.id);
      engine.watchers.publish(effect.job.id, { ...effect, output });
      break;
    }
    case "chunks": {
      const batches = effects.chunks.get(effect.job.id) ?? [];
      engine.watchers.publish(effect.job.id, { ...effect, batches });
      break;
    }
    default:
      engine.watchers.publish(effect.job.id, effect);
  }
}

function releaseWakes(engine: ReleaseParts, effects: Effects): void {
  engine.dueTimer.aim(effects.earliestDueAt);
  if (effects.webhookDue) engine.webhookDue();
  for (const jobId of effects.laterDeliveries) engine.releaseDelivery(jobId);
  for (const endpointId of effects.shortQueues) engine.readAhead(endpointId);
  for (const endpointId of effects.changedEndpoints) engine.jobsChanged(endpointId);
  for (const podId of effects.changedPods) engine.podChanged(podId);
}
