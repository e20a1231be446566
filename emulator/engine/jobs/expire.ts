/** Applies what is due by time alone: expiry, overrun of executionTimeout, leases that ran out. */
import { dueEvent } from "../../core/jobs/job-due.ts";
import type { JobEvent } from "../../core/jobs/job-event.ts";
import { apply } from "./apply.ts";
import { assignWaiting } from "./assign.ts";
import type { Uses } from "../context.ts";
import { retryRules } from "./finish.ts";

type ExpireUses = Uses<
  "clock" | "directory" | "fleet" | "lease" | "mover" | "random" | "stallDetector" | "steps"
>;

/** Jobs treated in one transaction. */
const BATCH = 200;

/** Applies everything that is due and aims the timer at the next due moment. */
export async function expireDue(engine: ExpireUses & Uses<"dueTimer">): Promise<void> {
  // A batch that was not applied to the last job ends the round: the rest was put off.
  while ((await expireBatch(engine)) === BATCH);
  const next = await engine.steps.read((view) => view.nextDueAt());
  if (next === undefined) return;
  const now = engine.clock.now();
  // What is due already was put off.
  engine.dueTimer.aim(next > now ? next : now + engine.stallDetector.judgesInMs);
}

async function expireBatch(engine: ExpireUses): Promise<number> {
  return engine.steps.commit(async (tx, effects) => {
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
function notHeard({ fleet, mover }: Uses<"fleet" | "mover">, workerId: string): void {
  const worker = fleet.find(workerId);
  if (worker && !worker.isBeingHeard) mover.move(worker, "fall-silent");
}

/** After a standstill a renewal or an outcome may wait to be read, said in time. */
function dependsOnHearing({ type }: JobEvent): boolean {
  return type === "lose-worker" || type === "overrun";
}
