/** Applies what time alone makes due: expired jobs, exceeded execution timeouts and expired leases. */
import { dueAt, dueEvent } from "../../core/jobs/job-due.ts";
import type { JobEvent } from "../../core/jobs/job-event.ts";
import { keptReports, leavesReport, reportEndsAt, reportOf } from "../../core/jobs/job-report.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Step } from "../steps/step.ts";
import { apply } from "../steps/apply.ts";
import { assignWaiting } from "./hand-over/assign.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import { retryRules } from "./finish.ts";

type ExpireUses = StepPort & TimePort & WorkerPort & CatalogPort;

/** Jobs treated in one step. */
const BATCH = 200;

/** Applies everything that is due and aims the timer at the next due moment. */
export async function expireDue(engine: ExpireUses & TimePort): Promise<void> {
  const { clock, dueTimer, stallDetector, steps } = engine;
  const due = steps.jobsInMemory((job) => dueAt(heldBack(engine, job)) <= clock.now());
  for (let first = 0; first < due.length; first += BATCH) {
    const ids = due.slice(first, first + BATCH).map(({ id }) => id);
    await steps.commit((step) => expire(engine, step, jobsOf(step, ids)), { jobs: ids });
  }
  // The round ends when some jobs of a batch were put off: the rest is put off too.
  while ((await expireStored(engine)) === BATCH);
  const next = Math.min(await forgetReports(engine), await nextDueAt(engine));
  const now = clock.now();
  // A due moment in the past belongs to jobs that were put off.
  if (Number.isFinite(next)) dueTimer.aim(next > now ? next : now + stallDetector.graceLeftMs);
}

function expireStored(engine: ExpireUses): Promise<number> {
  return engine.steps.commitOn(
    (reads) => reads.dueJobs(engine.clock.deletesUpTo(), BATCH),
    (step, jobs) => expire(engine, step, jobs),
  );
}

function expire(engine: ExpireUses, step: Step, jobs: readonly Job[]): number {
  const now = engine.clock.now();
  const { graceLeftMs } = engine.stallDetector;
  let [applied, reports] = [0, 0];
  for (const job of jobs) {
    const event = dueEvent(heldBack(engine, job), now, retryRules(engine, job.endpointId));
    if (!event || (dependsOnContact(event) && graceLeftMs > 0)) continue;
    if (event.type === "lose-worker") loseContact(engine, job);
    const { result } = apply(step, job, event, now);
    applied += 1;
    if (result !== "deleted" || !leavesReport(job)) continue;
    step.putReport(reportOf(job, now));
    reports += 1;
  }
  if (reports > 0 && engine.ownership.holdsService())
    step.pruneReports(keptReports(engine.clock.deletesUpTo()));
  for (const endpointId of step.effects.changedEndpoints) assignWaiting(engine, step, endpointId);
  return applied;
}

function jobsOf(step: Step, ids: readonly string[]): Job[] {
  return ids.flatMap((id) => step.job(id) ?? []);
}

async function nextDueAt(engine: StepPort & TimePort): Promise<number> {
  const { clock, steps } = engine;
  const stored = await steps.read((reads) => reads.nextDueAt());
  let next = (stored ?? Number.POSITIVE_INFINITY) + clock.heldBackMs;
  for (const job of steps.jobsInMemory()) next = Math.min(next, dueAt(heldBack(engine, job)));
  return next;
}

/** The job, with a later deletion if deletions are held back. */
function heldBack({ clock }: TimePort, job: Job): Job {
  const heldMs = clock.now() - clock.deletesUpTo(job.submittedAt);
  if (heldMs === 0) return job;
  return { ...job, ttlAt: job.ttlAt + heldMs, retentionMs: job.retentionMs + heldMs };
}

/** Deletes old reports about deleted jobs. Returns when the next deletion is due. */
async function forgetReports(engine: StepPort & TimePort): Promise<number> {
  const { clock, steps } = engine;
  const oldest = await steps.read((reads) => reads.reports.oldestDeletedAt());
  const endsAt = oldest === undefined ? Number.POSITIVE_INFINITY : reportEndsAt(oldest);
  if (endsAt > clock.deletesUpTo()) return endsAt + clock.heldBackMs;
  await steps.commit((step) => step.pruneReports(keptReports(clock.deletesUpTo())));
  return forgetReports(engine);
}

function loseContact({ fleet, mover }: WorkerPort, { lease }: Job): void {
  const worker = lease && fleet.find(lease.workerId);
  if (worker) mover.loseContact(worker);
}

/** After a stall of the service, a renewal or an outcome that was sent in time may not have been read yet. */
function dependsOnContact({ type }: JobEvent): boolean {
  return type === "lose-worker" || type === "overrun";
}
