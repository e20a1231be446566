/** A job as those who operate the service see it. */
import type { Job } from "../../core/jobs/job.ts";
import { iso } from "../time/clock-body.ts";

/** What is not known yet, or does not apply, is left out. */
export function jobSummary(job: Job) {
  return {
    id: job.id,
    endpointId: job.endpointId,
    status: job.status,
    submittedAt: iso(job.submittedAt),
    delayTime: job.delayTimeMs,
    executionTime: job.executionTimeMs,
    workerId: job.workerId,
    error: job.failure?.message,
  };
}

/** Everything but its payloads, and but `s3Config`, which has secrets. */
export function jobDetails(job: Job) {
  const { error: _inFailure, ...summary } = jobSummary(job);
  return {
    ...summary,
    kind: job.kind,
    startedAt: instant(job.startedAt),
    endedAt: instant(job.endedAt),
    expiresAt: iso(job.ttlAt),
    attempt: job.attempt,
    retries: job.retries,
    executionTimeout: job.executionTimeoutMs,
    lowPriority: job.lowPriority,
    chunks: job.chunkCount,
    webhook: job.webhook,
    traceparent: job.traceparent,
    failure: job.failure,
  };
}

function instant(at: number | undefined): string | undefined {
  return at === undefined ? undefined : iso(at);
}
