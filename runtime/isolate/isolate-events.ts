/** What the isolate reports to the worker. */
import type { ChunkBatch } from "../protocol/chunk-batch.ts";
import type { Failure } from "../protocol/failure.ts";
import type { LeaseRef, Outcome } from "../protocol/outcome.ts";
import type { PauseReport } from "../protocol/session.ts";
import type { OutputLine } from "./handler-output.ts";

export interface IsolateEvents {
  /** The handler is ready, for the first time or again, or takes another number of jobs at a time. */
  ready(concurrency: number): void;
  unusable(failure: Failure): void;
  restartFailed(failure: Failure, retryInMs: number): void;
  /** A loaded standby process waits to take over. */
  standbyReady(): void;
  /** A standby process ended before it was needed. */
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
