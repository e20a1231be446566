/** Port: where a worker takes its jobs from and reports to. Adapters speak gRPC or the live HTTP protocol. */
import type { ChunkBatch } from "../protocol/chunk-batch.ts";
import type { Failure } from "../protocol/failure.ts";
import type { HandedJob, LeaseRef, Outcome, Revocation } from "../protocol/outcome.ts";
import type { PauseReport, Reload, Welcome } from "../protocol/session.ts";

/** Calls of a source to its worker. None of them throws. */
export interface JobSourceListener {
  /** A job for which credit was granted. */
  job(job: HandedJob): void;
  /** The lease is gone: stop the job. Its outcome no longer matters, but the credit it used must be granted again. */
  revoked(revocation: Revocation): void;
  /** All chunks of this lease below `nextIndex` are durable. */
  chunksStored(lease: LeaseRef, nextIndex: number): void;
  /** The service wants the worker to finish what it has and leave. */
  drain(): void;
  /** The handler has a new version: it is to be loaded, and `ready` to be said again. All credit granted before is void. */
  reload(reload: Reload): void;
  /** The service refused this worker for good (wrong token, endpoint gone); nothing more will come. */
  refused(reason: string): void;
}

/**
 * One worker's side of the conversation with the service.
 *
 * The source has a timer by which it renews the leases of all jobs that it handed over and that have no outcome yet. It
 * reconnects with backoff after a lost connection, keeping leases, and repeats outcomes until the service has them.
 */
export interface JobSource {
  /** Grows while large reports are on their way, as the service takes them; absent where that is not known. */
  readonly confirmed?: number;
  /** Connects; resolves with the session's terms once the service has answered. Rejects if it refuses the worker. */
  connect(listener: JobSourceListener): Promise<Welcome>;
  /**
   * The handler is loaded. Announces how many jobs the handler takes at a time. Grants no credit by itself.
   *
   * @param reloadVersion the newest reload that was either loaded, or failed and left the earlier version in place; default:
   * there was no reload
   */
  ready(concurrency: number, reloadVersion?: number): void;
  /** Tells what the handler takes and gives: JSON text of a `HandlerSchemas`. */
  describe(schemas: Uint8Array): void;
  /** The handler cannot be loaded. Resolves when the report was handed to the transport. */
  initFailed(failure: Failure): Promise<void>;
  /** Asks for `count` further jobs. */
  grant(count: number): void;
  /** Sends chunks; order within a lease is kept. The bytes must not change any more. */
  chunks(lease: LeaseRef, batch: ChunkBatch): void;
  /** Sends the newest progress value (raw JSON); older unsent ones may be dropped. */
  progress(lease: LeaseRef, value: Uint8Array): void;
  /** A debugger began or stopped holding a job. Only the newest report counts. */
  paused(pause: PauseReport): void;
  /** Reports the outcome; resolves with whether the service accepted it, once it is durable there. */
  finish(lease: LeaseRef, outcome: Outcome): Promise<{ readonly accepted: boolean }>;
  /** Tells the service that no further jobs are taken; voids all granted credit. */
  draining(): void;
  /** Ends the session. Idempotent, also before `connect`. */
  close(): Promise<void>;
}

/** The service refused this worker, or the source was closed before it answered. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code = "refused";
}
