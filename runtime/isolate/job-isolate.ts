/** Port: what a worker needs of that which runs its jobs. Adapters: handler processes, or functions in this very process. */
import type { LoadHead } from "../pipe/frame-kinds.ts";
import type { Failure } from "../protocol/failure.ts";
import type { HandedJob, LeaseRef } from "../protocol/outcome.ts";
import type { IsolateEvents } from "./isolate-events.ts";
import type { SecretMask } from "./secret-mask.ts";

export interface JobIsolate {
  /** Process id of that which takes jobs, if it is a process of its own. */
  readonly pid: number | undefined;
  /** Of the process that waits to take over. */
  readonly standbyPid: number | undefined;
  /** Jobs whose outcome is not decided yet. */
  readonly openJobs: number;
  /** How many further jobs may come now. */
  readonly openPlaces: number;
  /** What runs the handler begins; it waits for `load`. */
  start(): void;
  /** Call once. */
  load(head: LoadHead): void;
  /** Begins with a new version of the handler. Answered by `succeeded` or `notSucceeded`, unless another one comes before. */
  reload(head: LoadHead): void;
  run(job: HandedJob): void;
  revoke(lease: LeaseRef): void;
  chunksStored(lease: LeaseRef, nextIndex: number): void;
  /** Hands back all jobs that are not done and ends for good. Idempotent, also before `start`. */
  stop(): Promise<void>;
  /** For the last moment of the supervisor. */
  killNow(): void;
}

export interface JobIsolateEvents extends IsolateEvents {
  /** The new version is ready and takes the jobs from now on; `ready` follows. */
  succeeded(): void;
  /** The new version cannot be made ready: the one before serves on, and `ready` follows for it. */
  notSucceeded(failure: Failure): void;
}

/** @param mask takes the secrets out of what handlers say */
export type OpenIsolate = (mask: SecretMask, events: JobIsolateEvents) => JobIsolate;
