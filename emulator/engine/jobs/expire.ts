/** What the passing of time does to jobs: expiry, overrun of executionTimeout, leases that run out. */
import { dueEvent } from "../../core/jobs/job-due.ts";
import type { JobEvent } from "../../core/jobs/job-event.ts";
import { apply } from "./apply.ts";
import { assignWaiting } from "./assign.ts";
import { commit } from "../commit.ts";
import type { EngineContext } from "../context.ts";
import { moveWorker } from "../workers/move-worker.ts";
import { retryRules } from "./finish.ts";

/** Jobs treated in one transaction. */
const BATCH = 200;

/** Applies everything that is due and aims the alarm at the next due moment. */
export async function expireDue(engine: EngineContext): Promise<void> {
  // A batch that was not applied to the last job ends the round: the rest was put off.
  while ((await expireBatch(engine)) === BATCH);
  const next = await engine.store.read((view) => view.nextDueAt());
  if (next === undefined) return;
  const now = engine.clock.now();
  // What is due already was put off.
  engine.dueTimer.aim(next > now ? next : now + engine.stallDetector.judgesInMs);
}

async function expireBatch(engine: EngineContext): Promise<number> {
  return commit(engine, async (tx, effects) => {
    const now = engine.clock.now();
    const { judgesInMs } = engine.stallDetector;
    let applied = 0;
    for (const job of await tx.dueJobs(now, BATCH)) {
      const event = dueEvent(job, now, retryRules(engine, job.endpointId));
      if (!event || (dependsOnHearing(event) && judgesInMs > 0)) continue;
      if (event.type === "lose-worker" && job.lease) notHeard(engine, job.lease.workerId);
      await apply(tx, effects, job, event, now);
      applied += 1;
    }
    for (const endpointId of effects.changedEndpoints)
      await assignWaiting(engine, tx, effects, endpointId);
    return applied;
  });
}

/** Unless it is speaking, nobody knows until it does whether it would ever look at a job. */
function notHeard(engine: EngineContext, workerId: string): void {
  const worker = engine.fleet.find(workerId);
  if (worker && !worker.isBeingHeard) moveWorker(engine, worker, "fall-silent");
}

/** After a standstill a renewal or an outcome may wait to be read, said in time. */
function dependsOnHearing({ type }: JobEvent): boolean {
  return type === "lose-worker" || type === "overrun";
}
