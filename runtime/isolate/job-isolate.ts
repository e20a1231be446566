/** Port: runs a worker's jobs. Adapters: handler processes, and functions in the worker's own process. */
import type { LoadHead } from "../pipe/frame-kinds.ts";
import type { ChunkBatch } from "../protocol/chunk-batch.ts";
import type { Failure } from "../protocol/failure.ts";
import type { HandedJob, LeaseRef, Outcome } from "../protocol/outcome.ts";
import type { PauseReport } from "../protocol/session.ts";
import type { OutputLine } from "./handler-output.ts";
import type { SecretMask } from "./secret-mask.ts";

export interface JobIsolate {
  /** Process id of the handler process, if jobs run in one. */
  readonly pid: number | undefined;
  /** Process id of the standby process. */
  readonly standbyPid: number | undefined;
  /** Number of jobs without an outcome. */
  readonly openJobs: number;
  /** Number of jobs that can be accepted now. */
  readonly openPlaces: number;
  /** Starts the process, if jobs run in one. It then waits for `load`. */
  start(): void;
  /** Call once. */
  load(head: LoadHead): void;
  /**
   * Starts a new version of the handler for future jobs. `reloaded` or `reloadFailed` follows, unless another `reload` comes
   * first.
   */
  reload(head: LoadHead): void;
  run(job: HandedJob): void;
  revoke(lease: LeaseRef): void;
  chunksStored(lease: LeaseRef, nextIndex: number): void;
  /** Hands back all unfinished jobs, and ends for good. Idempotent; may be called before `start`. */
  stop(): Promise<void>;
  /** Kills at once, as the last action of the supervisor. */
  killNow(): void;
}

/** Events of one version of the handler. */
export interface IsolateEvents {
  /** The handler is ready, for the first time or again, or its concurrency changed. */
  ready(concurrency: number): void;
  /** Schemas of the ready handler's input and output: JSON text of a `HandlerSchemas`. */
  described(schemas: Uint8Array): void;
  /** The handler cannot be made ready, and no more processes are started. */
  unusable(failure: Failure): void;
  /** A restart of the handler failed. Another try follows. */
  restartFailed(failure: Failure, retryInMs: number): void;
  /** A loaded standby process is ready to take over. */
  standbyReady(): void;
  /** A standby process ended before it was needed. The next one starts with the next handler process. */
  standbyFailed(failure: Failure): void;
  /** The outcome of a job: exactly one for each job. A revoked job is reported as `stopped` once its handler has stopped. */
  outcome(lease: LeaseRef, outcome: Outcome): void;
  chunks(lease: LeaseRef, batch: ChunkBatch): void;
  progress(lease: LeaseRef, value: Uint8Array): void;
  /** A debugger paused or resumed the job. */
  paused(pause: PauseReport): void;
  line(line: OutputLine): void;
  /** `openPlaces` may have grown. */
  placesChanged(): void;
}

export interface JobIsolateEvents extends IsolateEvents {
  /** The new version is ready and gets the jobs from now on. `ready` follows. */
  reloaded(): void;
  /** The new version cannot be made ready. The old version continues, and `ready` follows for it. */
  reloadFailed(failure: Failure): void;
}

/** @param mask removes secrets from handlers' output and reports */
export type OpenIsolate = (mask: SecretMask, events: JobIsolateEvents) => JobIsolate;
