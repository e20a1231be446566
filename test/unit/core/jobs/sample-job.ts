/** Jobs and events for tests of the pure core. */
import type { JobEvent, JobEventType } from "../../../../emulator/core/jobs/job-event.ts";
import { submitJob, transition } from "../../../../emulator/core/jobs/job-transition.ts";
import type { Job } from "../../../../emulator/core/jobs/job.ts";
import type { JobStatus } from "../../../../runtime/protocol/job-status.ts";

export const T0 = 1_700_000_000_000;
export const LEASE_TOKEN = "token-1";
const FAILURE = { type: "handler_error", message: "it broke" } as const;

/** A job just submitted at T0. */
export function queuedJob(overrides: Partial<Parameters<typeof submitJob>[0]> = {}): Job {
  return submitJob(
    {
      seq: 1,
      id: "job-1-e1",
      endpointId: "hello",
      kind: "async",
      executionTimeoutMs: 600_000,
      ttlMs: 86_400_000,
      retentionMs: 1_800_000,
      lowPriority: false,
      webhook: undefined,
      ...overrides,
    },
    T0,
  );
}

/** One event of each type under the current lease with no automatic retries left. */
export const SAMPLE_EVENTS: { readonly [T in JobEventType]: Extract<JobEvent, { type: T }> } = {
  "hand-over": { type: "hand-over", workerId: "w1", leaseToken: LEASE_TOKEN, leaseMs: 15_000 },
  renew: { type: "renew", leaseToken: LEASE_TOKEN, leaseMs: 15_000 },
  arrive: { type: "arrive", leaseToken: LEASE_TOKEN },
  "report-pause": {
    type: "report-pause",
    leaseToken: LEASE_TOKEN,
    isPaused: true,
    pausedMs: 0,
  },
  "append-chunks": { type: "append-chunks", leaseToken: LEASE_TOKEN, firstIndex: 0, count: 2 },
  "report-progress": { type: "report-progress", leaseToken: LEASE_TOKEN },
  complete: { type: "complete", leaseToken: LEASE_TOKEN },
  fail: {
    type: "fail",
    leaseToken: LEASE_TOKEN,
    failure: FAILURE,
    retryRules: { workerLost: 0, handlerError: 0 },
    nextQueueKey: 99,
  },
  "time-out": { type: "time-out", leaseToken: LEASE_TOKEN, failure: FAILURE },
  "lose-worker": {
    type: "lose-worker",
    leaseToken: LEASE_TOKEN,
    failure: FAILURE,
    retryRules: { workerLost: 0, handlerError: 0 },
  },
  "hand-back": { type: "hand-back", leaseToken: LEASE_TOKEN },
  overrun: { type: "overrun", failure: FAILURE },
  damage: { type: "damage", failure: FAILURE },
  cancel: { type: "cancel" },
  retry: { type: "retry", nextQueueKey: 99 },
  "read-chunks": { type: "read-chunks", count: 1 },
  "set-ttl": { type: "set-ttl", ttlMs: 6_000 },
  purge: { type: "purge" },
  expire: { type: "expire" },
  "advance-clock": { type: "advance-clock", byMs: 60_000 },
};

/**
 * `job` after `events`, one second apart.
 * @throws Error if one is refused or deletes the job
 */
export function after(job: Job, ...events: readonly JobEvent[]): Job {
  return events.reduce((current, event, position) => {
    const moved = transition(current, event, T0 + 1_000 * (position + 1));
    if (moved.result !== "changed") throw new Error(`${event.type} was ${moved.result}`);
    return moved.job;
  }, job);
}

const PATHS: Record<JobStatus, readonly JobEvent[]> = {
  IN_QUEUE: [],
  IN_PROGRESS: [SAMPLE_EVENTS["hand-over"]],
  COMPLETED: [SAMPLE_EVENTS["hand-over"], SAMPLE_EVENTS.complete],
  FAILED: [SAMPLE_EVENTS["hand-over"], SAMPLE_EVENTS.fail],
  TIMED_OUT: [SAMPLE_EVENTS["hand-over"], SAMPLE_EVENTS["time-out"]],
  CANCELLED: [SAMPLE_EVENTS["hand-over"], SAMPLE_EVENTS.cancel],
};

/** A job that reached `status` by the shortest way. */
export function jobIn(status: JobStatus): Job {
  return after(queuedJob(), ...PATHS[status]);
}
