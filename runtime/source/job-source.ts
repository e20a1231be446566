/** Port: the source of a worker's jobs, and the receiver of its reports. Adapters: gRPC and the live HTTP protocol. */
import type { ChunkBatch } from "../protocol/chunk-batch.ts";
import type { Failure } from "../protocol/failure.ts";
import type { HandedJob, LeaseRef, Outcome, Revocation } from "../protocol/outcome.ts";
import type { PauseReport, Reload, Welcome } from "../protocol/session.ts";

/** Calls of a source to its worker. None of them throws. */
export interface JobSourceListener {
  /** A job for which credit was granted. */
  job(job: HandedJob): void;
  /** The lease has ended: stop the job. Its outcome no longer matters, but its credit must be granted again. */
  revoked(revocation: Revocation): void;
  /** All chunks of this lease below `nextIndex` are durable. */
  chunksStored(lease: LeaseRef, nextIndex: number): void;
  /** The service wants the worker to finish its jobs and leave. */
  drain(): void;
  /** The handler has a new version: load it, and call `ready` again. All earlier credit is void. */
  reload(reload: Reload): void;
  /** The service refused this worker for good (wrong token, deleted endpoint). No further call follows. */
  refused(reason: string): void;
}

/**
 * One worker's side of the conversation with the service.
 *
 * The source regularly renews the leases of all jobs without an outcome. After a lost connection it reconnects with backoff,
 * keeps the leases, and repeats outcomes until the service has them.
 */
export interface JobSource {
  /** Grows as the service receives large reports; absent if that is unknown. */
  readonly confirmed?: number;
  /** Connects. Resolves with the session's terms when the service has answered; rejects if it refuses the worker. */
  connect(listener: JobSourceListener): Promise<Welcome>;
  /**
   * The handler is loaded. Announces how many jobs the handler takes at a time. Grants no credit by itself.
   *
   * @param reloadVersion the newest reload that was either loaded, or failed and left the earlier version in place; default:
   * there was no reload
   */
  ready(concurrency: number, reloadVersion?: number): void;
  /** Reports the handler's schemas: JSON text of a `HandlerSchemas`. */
  describe(schemas: Uint8Array): void;
  /** The handler cannot be loaded. Resolves when the report was handed to the transport. */
  initFailed(failure: Failure): Promise<void>;
  /** Asks for `count` further jobs. */
  grant(count: number): void;
  /** Sends chunks, in order within a lease. The bytes must not change afterwards. */
  chunks(lease: LeaseRef, batch: ChunkBatch): void;
  /** Sends the newest progress value (raw JSON); older unsent ones may be dropped. */
  progress(lease: LeaseRef, value: Uint8Array): void;
  /** A debugger held or released a job. Only the newest report counts. */
  paused(pause: PauseReport): void;
  /** Reports the outcome. Resolves when the outcome is durable, with whether the service accepted it. */
  finish(lease: LeaseRef, outcome: Outcome): Promise<{ readonly accepted: boolean }>;
  /** Reports that the worker takes no further jobs. All granted credit is void. */
  draining(): void;
  /** Ends the session. Idempotent, also before `connect`. */
  close(): Promise<void>;
}

/** The service refused this worker, or the source was closed before it answered. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code = "refused";
}
