/** The messages that a worker and the service exchange, independent of any transport (worker.proto is their gRPC form). */
import type { ChunkBatch } from "./chunk-batch.ts";
import type { Failure } from "./failure.ts";
import type { HandedJob, LeaseRef, Outcome, Revocation } from "./outcome.ts";

/** Version of the session; it grows when a change would confuse an older peer. */
export const PROTOCOL_VERSION = 3;

/** First version with workers that take large messages in pieces. */
export const PIECES_VERSION = 3;

export interface Hello {
  readonly protocolVersion: number;
  readonly runtimeVersion: string;
  /** Leases held over a reconnect. */
  readonly held: readonly LeaseRef[];
}

/** Stored as a whole or not at all, and repeated as it was. */
export interface ChunkReport extends LeaseRef, ChunkBatch {}

export interface ProgressReport extends LeaseRef {
  /** Raw JSON text. */
  readonly value: Uint8Array;
}

/**
 * A debugger holds the job's process, or has let go of it, or the worker stood still: `executionTimeout` does not run
 * meanwhile.
 */
export interface PauseReport extends LeaseRef {
  readonly isPaused: boolean;
  /** How long the pauses that are over took together, whole ms. */
  readonly pausedMs: number;
}

export interface OutcomeReport extends LeaseRef {
  readonly outcome: Outcome;
}

/** The handler is loaded. */
export interface HandlerReady {
  /** How many jobs it takes at a time. */
  readonly concurrency: number;
  /** The newest `Reload` that was dealt with: loaded, or given up for the version before; absent before the first. */
  readonly reloadVersion?: number;
}

/** What a worker says in one turn; the fields are applied in this order. */
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
  /** Number of further jobs the worker is ready for, added to earlier credit. */
  readonly credit?: number;
  readonly pauses?: readonly PauseReport[];
  /** JSON text of a {@link HandlerSchemas}. */
  readonly schemas?: Uint8Array;
}

/** What a handler takes and gives, each as a JSON Schema (draft 2020-12); absent where that is not known. */
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

/** The handler has a new version, to be loaded into a fresh process. All credit granted before is void. */
export interface Reload {
  /** Grows with each. */
  readonly version: number;
  /** What Node imports. */
  readonly modulePath: string;
  /** What the user wrote; bare imports are resolved from here. */
  readonly sourcePath: string;
}

/** What the service says to a worker in one turn. */
export interface ServiceOrders {
  readonly welcome?: Welcome;
  readonly jobs?: readonly HandedJob[];
  readonly revocations?: readonly Revocation[];
  readonly outcomeReceipts?: readonly OutcomeReceipt[];
  readonly chunkReceipts?: readonly ChunkReceipt[];
  /** The service wants the worker to finish its jobs and leave. */
  readonly drain?: boolean;
  readonly reload?: Reload;
  /** The address of the replica that owns the endpoint: this session is over, and the next is opened there. */
  readonly redirect?: string;
}
