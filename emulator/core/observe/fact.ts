/** Facts: events of the service as values. Each observer gets every fact after the commit and folds those that it needs. */
import type { Job } from "../jobs/job.ts";
import type { JobEventType } from "../jobs/job-event.ts";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { Delivery, DeliveryState, DeliveryTry } from "../webhooks/delivery.ts";
import type { AttemptEnd } from "./log/attempt-end.ts";
import type { ScaleDecision } from "../workers/scale-reason.ts";
import type { WorkerEnd, WorkerState } from "../workers/worker-life.ts";
import type { WorkersByState } from "../workers/workers-by-state.ts";

/** Numbers of an endpoint's jobs at a moment. */
export interface Depth {
  readonly inQueue: number;
  readonly inProgress: number;
}

/** From one status to another; null: no job. */
export interface StatusMove {
  readonly from: JobStatus | null;
  readonly to: JobStatus | null;
  /** The event of the state machine. */
  readonly by: JobEventType | "submit";
}

/** The status of a job changed. `job` is the new state, or the last one before its deletion. */
export interface JobMoved extends StatusMove {
  readonly type: "job";
  readonly job: Job;
  /** The endpoint's jobs after the change; undefined if another replica now owns the endpoint. */
  readonly depth: Depth | undefined;
  /** The attempt, or the job without one, that the change ended; undefined if none. */
  readonly ended: AttemptEnd | undefined;
}

/** The state of a webhook delivery changed: it was made, tried or settled, or will be sent again. */
export interface DeliveryChanged {
  readonly type: "webhook";
  readonly endpointId: string;
  readonly jobId: string;
  readonly deliveryId: string;
  readonly state: DeliveryState;
}

export interface EndpointChanged {
  readonly type: "endpoint";
  readonly endpointId: string;
  readonly change: "created" | "changed" | "deleted";
}

export type Fact =
  | JobMoved
  | DeliveryChanged
  | EndpointChanged
  /** Jobs wait or run from an earlier run or another replica. */
  | { readonly type: "jobs-left"; readonly endpointId: string; readonly depth: Depth }
  /** A worker names a job from before a start of the service, or from another replica. */
  | { readonly type: "job-named"; readonly job: Job }
  /** Another replica owns the job. */
  | { readonly type: "job-gone"; readonly jobId: string }
  /** Another replica owns the endpoint. */
  | { readonly type: "endpoint-gone"; readonly endpointId: string }
  /** `states` are those of all workers of the endpoint; undefined if it was deleted, or another replica owns it. */
  | {
      readonly type: "worker";
      readonly endpointId: string;
      readonly workerId: string;
      readonly state: WorkerState;
      readonly states: WorkersByState | undefined;
    }
  | { readonly type: "worker-started"; readonly endpointId: string }
  | { readonly type: "worker-exited"; readonly endpointId: string; readonly end: WorkerEnd }
  /** Nothing of the worker runs any more, but it is still known. */
  | { readonly type: "worker-ended"; readonly workerId: string }
  | { readonly type: "worker-memory"; readonly workerId: string; readonly bytes: number }
  /** The scaler made a decision that is worth keeping. */
  | { readonly type: "scale"; readonly endpointId: string; readonly decision: ScaleDecision }
  /** `delivery` is the state after the try. */
  | { readonly type: "webhook-tried"; readonly delivery: Delivery; readonly made: DeliveryTry }
  | { readonly type: "clock"; readonly offsetMs: number }
  /** Steps became durable together. */
  | { readonly type: "stored"; readonly steps: number }
  | {
      readonly type: "partitions";
      readonly change: "gained" | "given_away" | "lost";
      readonly partitions: ReadonlySet<number>;
      /** Time that they had no owner, ms; absent for partitions given in order. */
      readonly unownedMs?: ReadonlyMap<number, number>;
    };

export type Tell = (fact: Fact) => void;
