/** All events of a job, as values. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { HarmlessOutcome, WorkerStart } from "./attempt.ts";
import type { RetryRules } from "./job.ts";

export interface HandOver {
  readonly type: "hand-over";
  readonly workerId: string;
  readonly leaseToken: string;
  readonly leaseMs: number;
  /** Version of the endpoint that the worker serves. */
  readonly version?: number;
  readonly workerStart?: WorkerStart;
}

/** Events that a worker reports, under the token of its lease. */
type Reported =
  | { readonly type: "renew"; readonly leaseMs: number }
  /** The whole input has reached the worker, some time after the hand-over. */
  | { readonly type: "arrive" }
  /** The attempt pauses or goes on: a debugger holds the job, or its input or outcome is still on the way. */
  | {
      readonly type: "report-pause";
      readonly isPaused: boolean;
      /** Total length of the finished pauses of this attempt. */
      readonly pausedMs: number;
    }
  | { readonly type: "append-chunks"; readonly firstIndex: number; readonly count: number }
  /** A newer progress value. The value itself is a payload. */
  | { readonly type: "report-progress" }
  | { readonly type: "complete" }
  | {
      readonly type: "fail";
      readonly failure: Failure;
      readonly retryRules: RetryRules;
      readonly nextQueueKey: number;
    }
  /** The worker noticed that `executionTimeout` ran out. */
  | { readonly type: "time-out"; readonly failure: Failure }
  /** The process or worker of the job is gone, or did not renew the lease. */
  | { readonly type: "lose-worker"; readonly failure: Failure; readonly retryRules: RetryRules }
  /** The job comes back unharmed: its worker drains, another job spoiled the process, or the job never arrived. */
  | {
      readonly type: "hand-back";
      /** Default: `handed_back`. */
      readonly outcome?: HarmlessOutcome;
      /** Place at the end of the queue; default: the head of the queue. */
      readonly nextQueueKey?: number;
    };

export type JobEvent =
  | HandOver
  | (Reported & { readonly leaseToken: string })
  /** The service noticed that `executionTimeout` and the grace ran out. */
  | { readonly type: "overrun"; readonly failure: Failure }
  /** Data of the job is missing from the store, or differs from what was stored. */
  | { readonly type: "damage"; readonly failure: Failure }
  | { readonly type: "cancel" }
  | { readonly type: "retry"; readonly nextQueueKey: number }
  | { readonly type: "read-chunks"; readonly count: number }
  | { readonly type: "set-ttl"; readonly ttlMs: number }
  | { readonly type: "purge" }
  /** Service time was advanced; a running handler does not notice. */
  | { readonly type: "advance-clock"; readonly byMs: number }
  /** The TTL or the retention ran out. */
  | { readonly type: "expire" };

export type JobEventType = JobEvent["type"];
