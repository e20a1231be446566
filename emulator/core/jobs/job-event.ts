/** Everything that can happen to a job, as values. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { HarmlessOutcome, WorkerStart } from "./attempt.ts";
import type { RetryRules } from "./job.ts";

export interface HandOver {
  readonly type: "hand-over";
  readonly workerId: string;
  readonly leaseToken: string;
  readonly leaseMs: number;
  /** The version of the endpoint that the worker serves. */
  readonly version?: number;
  readonly workerStart?: WorkerStart;
}

interface Fenced {
  /** Token of the lease under which the event was reported. */
  readonly leaseToken: string;
}

export interface Renew extends Fenced {
  readonly type: "renew";
  readonly leaseMs: number;
}

/** Its input has reached the worker, after a while. */
export interface Arrive extends Fenced {
  readonly type: "arrive";
}

/** A debugger holds the job, or has let go of it; or its input or its outcome is on the way for a while. */
export interface ReportPause extends Fenced {
  readonly type: "report-pause";
  readonly isPaused: boolean;
  /** How long the pauses of this attempt that are over took together. */
  readonly pausedMs: number;
}

export interface AppendChunks extends Fenced {
  readonly type: "append-chunks";
  readonly firstIndex: number;
  readonly count: number;
}

/** A newer progress value; the value itself is a payload. */
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

/** The worker saw `executionTimeout` run out. */
export interface TimeOutByWorker extends Fenced {
  readonly type: "time-out";
  readonly failure: Failure;
}

/** The process or worker that ran the job is gone, or its lease was not renewed. */
export interface LoseWorker extends Fenced {
  readonly type: "lose-worker";
  readonly failure: Failure;
  readonly retryRules: RetryRules;
}

/** The job comes back unharmed: its worker drains, a neighbour spoiled the process, or the worker never had it. */
export interface HandBack extends Fenced {
  readonly type: "hand-back";
  /** Default: `handed_back`. */
  readonly outcome?: HarmlessOutcome;
  /** Its place at the end of the queue; default: it goes to the head. */
  readonly nextQueueKey?: number;
}

/** The service itself sees `executionTimeout` and its grace run out. */
export interface Overrun {
  readonly type: "overrun";
  readonly failure: Failure;
}

/** Data of the job is missing from the store, or not what was stored. */
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

/** The TTL or the retention has run out. */
export interface Expire {
  readonly type: "expire";
}

/** Service time is advanced, of which a running handler notices nothing. */
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
