/** A model of a job in plain rules from the interface, without the state machine. */
import type { JobEvent } from "../../../../../emulator/core/jobs/job-event.ts";
import type { Job } from "../../../../../emulator/core/jobs/job.ts";
import { LIMITS } from "../../../../../runtime/protocol/limits.ts";

export const RULES = { workerLost: 1, handlerError: 1 };
export const TIMES = {
  leaseMs: 15_000,
  executionTimeoutMs: 40_000,
  ttlMs: 90_000,
  retentionMs: 30_000,
};

/** A job in the rules' terms. */
export interface ModelJob {
  readonly id: string;
  readonly status: Job["status"];
  readonly queueKey: number;
  readonly attempt: number;
  readonly lost: number;
  readonly errors: number;
  readonly retries: number;
  readonly chunks: number;
  readonly read: number;
  /** The current hand-over. */
  readonly token: string | undefined;
  readonly startedAt: number;
  readonly leaseEndsAt: number;
  readonly endedAt: number | undefined;
  readonly ttlAt: number;
  readonly isPinned: boolean;
}

export function newJob(id: string, queueKey: number, now: number): ModelJob {
  const none = { attempt: 0, lost: 0, errors: 0, retries: 0, chunks: 0, read: 0, token: undefined };
  const times = { startedAt: 0, leaseEndsAt: 0, endedAt: undefined, ttlAt: now + TIMES.ttlMs };
  return { id, status: "IN_QUEUE", queueKey, isPinned: false, ...none, ...times };
}

/** The job after the event: the same object if nothing changes, undefined if it is deleted. */
export function after(job: ModelJob, event: JobEvent, now: number): ModelJob | undefined {
  const isRunning = job.status === "IN_PROGRESS";
  const end = (status: Job["status"]) => ({ ...job, status, endedAt: now });
  const wait = {
    status: "IN_QUEUE",
    endedAt: undefined,
    token: undefined,
    chunks: 0,
    read: 0,
  } as const;
  const isFenced = "leaseToken" in event && event.type !== "hand-over";
  if (isFenced && !(isRunning && job.token === event.leaseToken)) return job;
  switch (event.type) {
    case "hand-over":
      if (job.status !== "IN_QUEUE") return job;
      return {
        ...job,
        ...{ status: "IN_PROGRESS", attempt: job.attempt + 1, token: event.leaseToken },
        ...{ startedAt: now, leaseEndsAt: now + TIMES.leaseMs },
      };
    case "renew":
      return { ...job, leaseEndsAt: now + TIMES.leaseMs };
    case "append-chunks":
      return event.firstIndex === job.chunks ? { ...job, chunks: job.chunks + event.count } : job;
    case "complete":
      return end("COMPLETED");
    case "fail":
      if (job.errors >= RULES.handlerError) return end("FAILED");
      return {
        ...{ ...job, ...wait, queueKey: event.nextQueueKey },
        ...{ errors: job.errors + 1, retries: job.retries + 1 },
      };
    case "time-out":
      return end("TIMED_OUT");
    case "lose-worker":
      if (job.lost >= RULES.workerLost) return { ...end("FAILED"), token: undefined };
      return { ...job, ...wait, lost: job.lost + 1, retries: job.retries + 1 };
    case "hand-back":
      return { ...job, ...wait, queueKey: event.nextQueueKey ?? job.queueKey };
    case "overrun":
      return isRunning ? { ...end("TIMED_OUT"), token: undefined } : job;
    case "cancel":
      return isRunning || job.status === "IN_QUEUE"
        ? { ...end("CANCELLED"), token: undefined }
        : job;
    case "retry":
      if (job.status !== "FAILED" && job.status !== "TIMED_OUT") return job;
      return {
        ...{ ...job, ...wait, queueKey: event.nextQueueKey },
        ...{ lost: 0, errors: 0, retries: job.retries + 1 },
      };
    case "read-chunks":
      return { ...job, read: Math.min(job.chunks, job.read + event.count) };
    case "set-ttl":
      return { ...job, ttlAt: now + event.ttlMs, isPinned: true };
    case "purge":
      return job.status === "IN_QUEUE" ? undefined : job;
    case "expire":
      return undefined;
    default:
      throw new Error(`the model knows no ${event.type}`);
  }
}

/** The event that time has caused by now. */
export function dueNow(
  job: ModelJob,
  now: number,
): "expire" | "overrun" | "lose-worker" | undefined {
  if (job.ttlAt <= now) return "expire";
  if (job.endedAt !== undefined)
    return !job.isPinned && job.endedAt + TIMES.retentionMs <= now ? "expire" : undefined;
  if (job.status !== "IN_PROGRESS") return undefined;
  const { executionTimeoutMs } = TIMES;
  if (job.startedAt + executionTimeoutMs + LIMITS.executionGraceMs <= now) return "overrun";
  return job.leaseEndsAt <= now ? "lose-worker" : undefined;
}

/** A job of the service, in the rules' terms. */
export function modelOf(job: Job): ModelJob {
  const { id, status, queueKey, attempt, retries, lease, endedAt, ttlAt } = job;
  const counted = {
    lost: job.lostCount,
    errors: job.errorCount,
    chunks: job.chunkCount,
    read: job.chunksRead,
  };
  return {
    ...{
      id,
      status,
      queueKey,
      attempt,
      retries,
      endedAt,
      ttlAt,
      isPinned: job.ttlPinned,
      ...counted,
    },
    ...{ token: lease?.token, startedAt: job.startedAt ?? 0, leaseEndsAt: lease?.expiresAt ?? 0 },
  };
}

/** Whether two jobs are equal for the rules: the times of an ended hand-over do not count. */
export function isAlike(one: ModelJob, other: ModelJob, isStored = false): boolean {
  const isRunning = one.status === "IN_PROGRESS";
  // A lease is renewed in memory only.
  const own =
    isRunning && !isStored ? ["startedAt", "leaseEndsAt"] : isRunning ? ["startedAt"] : [];
  return [...COMPARED, ...own].every(
    (name) => one[name as keyof ModelJob] === other[name as keyof ModelJob],
  );
}

const COMPARED = [
  ...[
    "id",
    "status",
    "queueKey",
    "attempt",
    "lost",
    "errors",
    "retries",
    "chunks",
    "read",
    "token",
  ],
  ...["endedAt", "ttlAt", "isPinned"],
];
