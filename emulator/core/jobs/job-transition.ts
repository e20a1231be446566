/** The function that decides what an event does to a job; it alone assigns a job's status. */
import type { RevocationReason } from "../../../runtime/protocol/outcome.ts";
import type { JobEvent, JobEventType } from "./job-event.ts";
import type { Refusal, TransitionRow } from "./transitions/row.ts";
import { TRANSITION_ROWS } from "./transition-table.ts";
import { INITIAL_FIELDS, type Job } from "./job.ts";

/** Work to do once the change is durable. */
export type JobEffect =
  /** The job waits for a worker. */
  | { readonly type: "offer"; readonly job: Job }
  /** The worker that held the lease must stop. */
  | {
      readonly type: "revoke";
      readonly workerId: string;
      readonly jobId: string;
      readonly leaseToken: string;
      readonly reason: RevocationReason;
    }
  /** The job has ended; its waiters are told. */
  | { readonly type: "settled"; readonly job: Job }
  /** New chunks can be read. */
  | { readonly type: "chunks"; readonly job: Job }
  /** The job runs again from the start; its earlier chunks are void. */
  | { readonly type: "restarted"; readonly job: Job }
  /** The job is deleted; status requests no longer find it. */
  | { readonly type: "removed"; readonly job: Job; readonly by: "purge" | "expiry" };

/** Payloads that became void with the change; the same transaction removes them. */
export interface Voided {
  readonly output: boolean;
  readonly chunks: boolean;
}

export type Transition =
  | {
      readonly result: "changed";
      readonly job: Job;
      readonly effects: readonly JobEffect[];
      readonly voided: Voided;
    }
  | { readonly result: "deleted"; readonly effects: readonly JobEffect[] }
  /** The event repeats an earlier one: nothing changes. */
  | { readonly result: "unchanged"; readonly job: Job }
  | { readonly result: "refused"; readonly refusal: Refusal };

const rowsByEvent = new Map<string, TransitionRow[]>();
for (const row of TRANSITION_ROWS) {
  const key = `${row.from}/${row.event}`;
  rowsByEvent.set(key, [...(rowsByEvent.get(key) ?? []), row]);
}

/**
 * Applies `event` to `job` at service time `now`.
 *
 * An event under an outdated lease is refused as `stale_lease` before any row is read.
 */
export function transition(job: Job, event: JobEvent, now: number): Transition {
  if (isFenced(event) && job.lease?.token !== event.leaseToken) {
    return { result: "refused", refusal: "stale_lease" };
  }
  const rows = rowsByEvent.get(`${job.status}/${event.type}`) ?? [];
  const row = rows.find((candidate) => candidate.when?.test(job, event) ?? true);
  if (!row) return { result: "refused", refusal: refusalOf(event.type) };
  if (row.to === "unchanged") return { result: "unchanged", job };
  if (row.to === "deleted") {
    const shown: Job = row.shownAs ? { ...job, status: row.shownAs } : job;
    return { result: "deleted", effects: effectsOf(row, job, shown, event) };
  }
  const changed: Job = { ...job, ...row.change?.(job, event, now), status: row.to };
  return {
    result: "changed",
    job: changed,
    effects: effectsOf(row, job, changed, event),
    voided: {
      output: row.voids?.includes("output") ?? false,
      chunks: row.voids?.includes("chunks") ?? false,
    },
  };
}

/** The fields of a job that a submission decides. */
export interface JobSpecification
  extends
    Pick<Job, "seq" | "id" | "endpointId" | "kind" | "executionTimeoutMs" | "retentionMs">,
    Pick<Job, "lowPriority" | "webhook">,
    Partial<Pick<Job, "dialect" | "traceparent">> {
  readonly ttlMs: number;
}

/** The job of an accepted submission: row `none / submit` of the table. */
export function submitJob(specification: JobSpecification, now: number): Job {
  const { ttlMs, ...submitted } = specification;
  return {
    ...INITIAL_FIELDS,
    ...submitted,
    status: "IN_QUEUE",
    queueKey: specification.seq,
    submittedAt: now,
    queuedAt: now,
    ttlAt: now + ttlMs,
  };
}

function isFenced(event: JobEvent): event is JobEvent & { readonly leaseToken: string } {
  return "leaseToken" in event && event.type !== "hand-over";
}

function refusalOf(event: JobEventType): Refusal {
  switch (event) {
    case "cancel":
      return "job_already_finished";
    case "retry":
      return "job_not_retryable";
    case "hand-over":
    case "purge":
      return "job_not_waiting";
    default:
      return "stale_lease";
  }
}

function effectsOf(
  row: TransitionRow,
  before: Job,
  after: Job,
  event: JobEvent,
): readonly JobEffect[] {
  const effects: JobEffect[] = [];
  for (const type of row.effects ?? [])
    if (type === "removed")
      effects.push({ type, job: after, by: event.type === "purge" ? "purge" : "expiry" });
    else if (type !== "revoke") effects.push({ type, job: after });
    else if (before.status === "IN_PROGRESS" && before.lease)
      effects.push(revocation(before.id, before.lease, event.type));
  return effects;
}

function revocation(
  jobId: string,
  lease: NonNullable<Job["lease"]>,
  event: JobEventType,
): JobEffect {
  return {
    type: "revoke",
    workerId: lease.workerId,
    jobId,
    leaseToken: lease.token,
    reason: REVOCATION_REASONS[event] ?? "lease-lost",
  };
}

const REVOCATION_REASONS: Partial<Record<JobEventType, RevocationReason>> = {
  cancel: "cancelled",
  overrun: "timed-out",
  expire: "expired",
};
