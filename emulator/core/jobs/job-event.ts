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

interface Fenced {
  /** Token of the lease under which the worker reported the event. */
  readonly leaseToken: string;
}

export interface Renew extends Fenced {
  readonly type: "renew";
  readonly leaseMs: number;
}

/** The whole input has reached the worker, some time after the hand-over. */
export interface Arrive extends Fenced {
  readonly type: "arrive";
}

/** The attempt pauses or goes on: a debugger holds the job, or its input or outcome is still on the way. */
export interface ReportPause extends Fenced {
  readonly type: "report-pause";
  readonly isPaused: boolean;
  /** Total length of the finished pauses of this attempt. */
  readonly pausedMs: number;
}

export interface AppendChunks extends Fenced {
  readonly type: "append-chunks";
  readonly firstIndex: number;
  readonly count: number;
}

/** A newer progress value. The value itself is a payload. */
export interface ReportProgress extends Fenced {
  readonly type: "report-progress";
}

export interface Complete extends Fenced {
  readonly type: "complete";
}

export interface FailByHandler extends Fenced {
  readonly type: "fail";
  readonly failure: Failure;
  readonly retryRules: RetryRules;
  readonly nextQueueKey: number;
}

/** The worker noticed that `executionTimeout` ran out. */
export interface TimeOutByWorker extends Fenced {
  readonly type: "time-out";
  readonly failure: Failure;
}

/** The process or worker of the job is gone, or did not renew the lease. */
export interface LoseWorker extends Fenced {
  readonly type: "lose-worker";
  readonly failure: Failure;
  readonly retryRules: RetryRules;
}

/** The job comes back unharmed: its worker drains, another job spoiled the process, or the job never arrived. */
export interface HandBack extends Fenced {
  readonly type: "hand-back";
  /** Default: `handed_back`. */
  readonly outcome?: HarmlessOutcome;
  /** Place at the end of the queue; default: the head of the queue. */
  readonly nextQueueKey?: number;
}

/** The service noticed that `executionTimeout` and the grace ran out. */
export interface Overrun {
  readonly type: "overrun";
  readonly failure: Failure;
}

/** Data of the job is missing from the store, or differs from what was stored. */
export interface Damage {
  readonly type: "damage";
  readonly failure: Failure;
}

export interface Cancel {
  readonly type: "cancel";
}

export interface Retry {
  readonly type: "retry";
  readonly nextQueueKey: number;
}

export interface ReadChunks {
  readonly type: "read-chunks";
  readonly count: number;
}

export interface PinExpiry {
  readonly type: "set-ttl";
  readonly ttlMs: number;
}

export interface Purge {
  readonly type: "purge";
}

/** The TTL or the retention ran out. */
export interface Expire {
  readonly type: "expire";
}

/** Service time was advanced; a running handler does not notice. */
export interface AdvanceClock {
  readonly type: "advance-clock";
  readonly byMs: number;
}

export type JobEvent =
  | HandOver
  | Renew
  | Arrive
  | ReportPause
  | AppendChunks
  | ReportProgress
  | Complete
  | FailByHandler
  | TimeOutByWorker
  | LoseWorker
  | HandBack
  | Overrun
  | Damage
  | Cancel
  | Retry
  | ReadChunks
  | PinExpiry
  | Purge
  | AdvanceClock
  | Expire;

export type JobEventType = JobEvent["type"];
