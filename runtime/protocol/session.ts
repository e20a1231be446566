/** The messages that a worker and the service exchange, independent of any transport (worker.proto is their gRPC form). */
import type { ChunkBatch } from "./chunk-batch.ts";
import type { Failure } from "./failure.ts";
import type { HandedJob, LeaseRef, Outcome, Revocation } from "./outcome.ts";

/** Version of the session. It grows with changes that an older peer would misunderstand. */
export const PROTOCOL_VERSION = 3;

/** First version with workers that take large messages in pieces. */
export const PIECES_VERSION = 3;

export interface Hello {
  readonly protocolVersion: number;
  readonly runtimeVersion: string;
  /** Leases that the worker still holds after a reconnect. */
  readonly held: readonly LeaseRef[];
}

/** The outcome, which is stored as a whole or not at all, and repeated unchanged. */
export interface ChunkReport extends LeaseRef, ChunkBatch {}

export interface ProgressReport extends LeaseRef {
  /** Raw JSON text. */
  readonly value: Uint8Array;
}

/** A debugger held or released the job's process, or the worker stood still. `executionTimeout` does not run during a pause. */
export interface PauseReport extends LeaseRef {
  readonly isPaused: boolean;
  /** Total duration of the pauses that have ended, whole ms. */
  readonly pausedMs: number;
}

export interface OutcomeReport extends LeaseRef {
  readonly outcome: Outcome;
}

/** The handler is loaded. */
export interface HandlerReady {
  /** Maximum number of jobs that the handler takes at a time. */
  readonly concurrency: number;
  /**
   * Version of the newest `Reload` that was either loaded, or failed and left the earlier version in place. Absent before the
   * first reload.
   */
  readonly reloadVersion?: number;
}

/** All messages of a worker in one turn. The service applies the fields in this order. */
export interface WorkerReport {
  readonly hello?: Hello;
  readonly ready?: HandlerReady;
  /** The handler cannot be loaded; the worker takes no jobs. */
  readonly initFailure?: Failure;
  readonly renewals?: readonly LeaseRef[];
  readonly chunks?: readonly ChunkReport[];
  readonly progress?: readonly ProgressReport[];
  readonly outcomes?: readonly OutcomeReport[];
  readonly draining?: boolean;
  /** Number of further jobs that the worker can take, added to earlier credit. */
  readonly credit?: number;
  readonly pauses?: readonly PauseReport[];
  /** JSON text of a {@link HandlerSchemas}. */
  readonly schemas?: Uint8Array;
}

/** The types of a handler's input and output, each as a JSON Schema (draft 2020-12). An unknown type is absent. */
export interface HandlerSchemas {
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The terms of a session, sent in answer to `hello`. */
export interface Welcome {
  readonly workerId: string;
  readonly endpointId: string;
  readonly leaseMs: number;
  readonly leaseRenewalMs: number;
}

export interface OutcomeReceipt extends LeaseRef {
  /** False: the lease was no longer current and the outcome changed nothing. */
  readonly accepted: boolean;
}

export interface ChunkReceipt extends LeaseRef {
  /** All chunks below this index are durable. */
  readonly nextIndex: number;
}

/** The worker must load a new version of the handler into a fresh process. All earlier credit is void. */
export interface Reload {
  /** Grows with each reload. */
  readonly version: number;
  /** The file that Node imports. */
  readonly modulePath: string;
  /** The file that the user wrote. Bare imports are resolved from here. */
  readonly sourcePath: string;
}

/** The input of a job that still waits, for a hand-over without it in the same session. The worker keeps the newest one. */
export interface InputAhead {
  readonly jobId: string;
  /** Raw JSON text. */
  readonly input: Uint8Array;
}

/** All messages of the service to a worker in one turn. */
export interface ServiceOrders {
  readonly welcome?: Welcome;
  readonly jobs?: readonly HandedJob[];
  readonly revocations?: readonly Revocation[];
  readonly outcomeReceipts?: readonly OutcomeReceipt[];
  readonly chunkReceipts?: readonly ChunkReceipt[];
  /** The service wants the worker to finish its jobs and leave. */
  readonly drain?: boolean;
  readonly reload?: Reload;
  /** The address of the replica that owns the endpoint. The worker ends this session and opens the next one there. */
  readonly redirect?: string;
  /** Sent alone. */
  readonly inputAhead?: InputAhead;
}
