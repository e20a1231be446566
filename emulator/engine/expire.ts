/** What the passing of time does to jobs: expiry, overrun of executionTimeout, leases that run out. */
import { dueEvent } from "../core/job-due.ts";
import { apply } from "./apply.ts";
import { assignWaiting } from "./assign.ts";
import { commit } from "./commit.ts";
import type { EngineContext } from "./context.ts";
import { retryRules } from "./finish.ts";

/** Jobs treated in one transaction. */
const BATCH = 200;

/** Applies everything that is due and aims the alarm at the next due moment. */
export async function expireDue(engine: EngineContext): Promise<void> {
  while ((await expireBatch(engine)) === BATCH);
  const next = await engine.store.read((view) => view.nextDueAt());
  if (next !== undefined) engine.alarm.aim(next);
}

async function expireBatch(engine: EngineContext): Promise<number> {
  return commit(engine, async (tx, after) => {
    const now = engine.clock.now();
    const jobs = await tx.dueJobs(now, BATCH);
    for (const job of jobs) {
      const event = dueEvent(job, now, retryRules(engine, job.endpointId));
      if (event?.type === "lose-worker" && job.lease)
        engine.fleet.find(job.lease.workerId)?.fallSilent();
      if (event) await apply(tx, after, job, event, now);
    }
    for (const endpointId of after.changedEndpoints)
      await assignWaiting(engine, tx, after, endpointId);
    return jobs.length;
  });
}
