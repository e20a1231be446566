/** Possible events of a job in a random batch. */
import type { JobEvent } from "../../../emulator/core/jobs/job-event.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import { NOW } from "./subject.ts";

export const EVENTS = [
  ...(["hand-over", "hand-over", "renew", "complete", "fail", "lose-worker"] as const),
  ...(["hand-back", "cancel", "retry", "set-ttl", "append-chunks", "purge"] as const),
];

/** The transition table decides whether the event is allowed. */
export function eventFor(type: (typeof EVENTS)[number], job: Job, nextQueueKey: number): JobEvent {
  const leaseToken = job.lease?.token ?? "none";
  const failure = { type: "handler_error", message: 'no "ü"' } as const;
  const retryRules = { workerLost: 1, handlerError: 1 };
  switch (type) {
    case "hand-over":
      return {
        ...{ type, workerId: `w${job.seq % 3}`, leaseToken: `t${nextQueueKey}`, leaseMs: 15_000 },
        ...(job.seq % 2 === 0 && {
          version: nextQueueKey,
          workerStart: { workerStartedAt: NOW, readyAt: job.queuedAt + 1 },
        }),
      };
    case "renew":
      return { type, leaseToken, leaseMs: 20_000 };
    case "fail":
      return { type, leaseToken, failure, retryRules, nextQueueKey };
    case "lose-worker":
      return { type, leaseToken, failure, retryRules };
    case "complete":
    case "hand-back":
      return { type, leaseToken };
    case "retry":
      return { type, nextQueueKey };
    case "set-ttl":
      return { type, ttlMs: 5_000 };
    case "append-chunks":
      return { type, leaseToken, firstIndex: job.chunkCount, count: 2 };
    case "cancel":
    case "purge":
      return { type };
  }
}
