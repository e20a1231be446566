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
  engine.dueTimer.aim(next > now ? next : now + engine.stallDetector.graceLeftMs);
}

async function expireBatch(engine: ExpireUses): Promise<number> {
  return engine.steps.commit(async (tx, effects) => {
    const now = engine.clock.now();
    const { graceLeftMs } = engine.stallDetector;
    let applied = 0;
    for (const job of await tx.dueJobs(now, BATCH)) {
      const event = dueEvent(job, now, retryRules(engine, job.endpointId));
      if (!event || (dependsOnContact(event) && graceLeftMs > 0)) continue;
      if (event.type === "lose-worker" && job.lease) loseContact(engine, job.lease.workerId);
      await apply(tx, effects, job, event, now);
      applied += 1;
    }
    for (const endpointId of effects.changedEndpoints)
      await assignWaiting(engine, tx, effects, endpointId);
    return applied;
  });
}

/** A worker whose lease ran out is handed no job until a message comes from it. */
function loseContact({ fleet, mover }: Uses<"fleet" | "mover">, workerId: string): void {
  const worker = fleet.find(workerId);
  if (worker && !worker.contact.isUnderWay) mover.move(worker, "lose-contact");
}

/** After a stall of the service, a renewal or an outcome that was sent in time may not have been read yet. */
function dependsOnContact({ type }: JobEvent): boolean {
  return type === "lose-worker" || type === "overrun";
}
