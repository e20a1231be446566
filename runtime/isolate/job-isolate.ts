/** Port: what runs a worker's jobs. Adapters: handler processes, and functions in the worker's own process. */
import type { LoadHead } from "../pipe/frame-kinds.ts";
import type { ChunkBatch } from "../protocol/chunk-batch.ts";
import type { Failure } from "../protocol/failure.ts";
import type { HandedJob, LeaseRef, Outcome } from "../protocol/outcome.ts";
import type { PauseReport } from "../protocol/session.ts";
import type { OutputLine } from "./handler-output.ts";
import type { SecretMask } from "./secret-mask.ts";

export interface JobIsolate {
  /** Id of the process that takes jobs, if they run in a process of their own. */
  readonly pid: number | undefined;
  /** Process id of the standby process. */
  readonly standbyPid: number | undefined;
  /** Number of jobs without an outcome. */
  readonly openJobs: number;
  /** How many further jobs may come now. */
  readonly openPlaces: number;
  /** Starts the process, if there is one; it waits for `load`. */
  start(): void;
  /** Call once. */
  load(head: LoadHead): void;
  /** Starts a new version of the handler for the jobs to come. Answered by `reloaded` or `reloadFailed`, unless another comes before. */
  reload(head: LoadHead): void;
  run(job: HandedJob): void;
  revoke(lease: LeaseRef): void;
  chunksStored(lease: LeaseRef, nextIndex: number): void;
  /** Hands back all jobs that are not done and ends for good. Idempotent, also before `start`. */
  stop(): Promise<void>;
  /** For the last moment of the supervisor. */
  killNow(): void;
}

/** What one version of the handler reports to the worker. */
export interface IsolateEvents {
  /** The handler is ready, for the first time or again, or takes another number of jobs at a time. */
  ready(concurrency: number): void;
  /** What the handler that is ready takes and gives: JSON text of a `HandlerSchemas`. */
  described(schemas: Uint8Array): void;
  /** The handler cannot be made ready; there will be no process any more. */
  unusable(failure: Failure): void;
  /** The handler did not come back this time; another try follows. */
  restartFailed(failure: Failure, retryInMs: number): void;
  /** A loaded standby process waits to take over. */
  standbyReady(): void;
  /** A standby process ended before it was needed; the next one comes with the next handler process. */
  standbyFailed(failure: Failure): void;
  /** Exactly one for each job that was not revoked. */
  outcome(lease: LeaseRef, outcome: Outcome): void;
  chunks(lease: LeaseRef, batch: ChunkBatch): void;
  progress(lease: LeaseRef, value: Uint8Array): void;
  /** A debugger holds the job, or has let go of it. */
  paused(pause: PauseReport): void;
  line(line: OutputLine): void;
  /** `openPlaces` may have grown. */
  placesChanged(): void;
}

export interface JobIsolateEvents extends IsolateEvents {
  /** The new version is ready and takes the jobs from now on; `ready` follows. */
  reloaded(): void;
  /** The new version cannot be made ready: the one before serves on, and `ready` follows for it. */
  reloadFailed(failure: Failure): void;
}

/** @param mask removes secrets from handlers' output and reports */
export type OpenIsolate = (mask: SecretMask, events: JobIsolateEvents) => JobIsolate;
