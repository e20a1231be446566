/** The effects of a step as values: released once it is durable, dropped when it fails. */
import type { ChunkBatch } from "../../../runtime/protocol/chunk-batch.ts";
import type { ServiceOrders, WorkerReport } from "../../../runtime/protocol/session.ts";
import type { JobEffect } from "../../core/jobs/job-transition.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { ReadablePayload } from "../../store/payload.ts";
import type { JobMove, StateChange } from "../observe/event-feed.ts";
import type { Delivery } from "../../core/webhooks/delivery.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";

/** A job to send to the worker that it was handed to. */
export interface Assignment {
  readonly worker: WorkerHandle;
  readonly job: Job;
  /** The payloads, if they are in memory; otherwise they are read from the store. */
  readonly payloads: JobPayloads | undefined;
  /** Why it could not be sent, for example because its input cannot be read. */
  readonly cause?: unknown;
}

export interface JobPayloads {
  readonly input: Uint8Array;
  readonly s3Config: Uint8Array | undefined;
}

/** The same as they lie in the store. */
export interface StoredPayloads {
  readonly input: ReadablePayload;
  readonly s3Config: Uint8Array | undefined;
}

/** What is told of a report: the outcomes and chunks that were taken, and leases that are not held. */
export type Receipts = Required<
  Pick<ServiceOrders, "outcomeReceipts" | "chunkReceipts" | "revocations">
>;

/** A report to acknowledge to the worker whose session it came in. */
export interface Acknowledgement {
  readonly session: { acknowledge(report: WorkerReport, receipts: Receipts): void };
  readonly report: WorkerReport;
  readonly receipts: Receipts;
}

/** A job whose status changed: as it is now, or as it was before it was deleted. */
export interface Moved {
  readonly job: Job;
  readonly move: JobMove;
}

export class Effects {
  readonly ofJobs: JobEffect[] = [];
  readonly assignments: Assignment[] = [];
  readonly acknowledgements: Acknowledgement[] = [];
  /** Jobs whose status changed, in order. */
  readonly moves: Moved[] = [];
  /** Changes of state to tell of beside those of jobs. */
  readonly changes: StateChange[] = [];
  /** Endpoints of whose waiting jobs too few are in memory. */
  readonly shortQueues = new Set<string>();
  /** Endpoints of whose jobs some changed. */
  readonly changedEndpoints = new Set<string>();
  /** Pods that were made, changed or deleted. */
  readonly changedPods = new Set<string>();
  /** Raw JSON of stored outputs by job id, so that waiting requests need not read them. */
  readonly outputs = new Map<string, Uint8Array>();
  /** Stored chunks by job id, so that readers of the stream need not read them. */
  readonly chunks = new Map<string, readonly ChunkBatch[]>();
  /** Jobs with a new delivery that waits for the earlier ones of its job, if any is pending. */
  readonly laterDeliveries = new Set<string>();
  /** Whether a webhook call became due. */
  webhookDue = false;
  /** The earliest due moment of the jobs that changed. */
  earliestDueAt = Number.POSITIVE_INFINITY;
  readonly #undo: (() => void)[] = [];

  /** Nothing is to be done. */
  get isEmpty(): boolean {
    const { ofJobs, assignments, acknowledgements, moves, changes, outputs, chunks } = this;
    const { shortQueues, changedEndpoints, changedPods, laterDeliveries } = this;
    const lists = [ofJobs, assignments, acknowledgements, moves, changes];
    const sets = [shortQueues, changedEndpoints, changedPods, laterDeliveries, outputs, chunks];
    const isAny = lists.some(({ length }) => length > 0) || sets.some(({ size }) => size > 0);
    return !isAny && !this.webhookDue && !Number.isFinite(this.earliestDueAt);
  }

  /** Records that the status of `job` changed; null stands for a job that does not exist. */
  moved(job: Job, from: JobMove["from"], to: JobMove["to"], by: JobMove["by"]): void {
    const { endpointId, id: jobId } = job;
    this.moves.push({ job, move: { type: "job", endpointId, jobId, from, to, by } });
  }

  /** Records that a delivery was made, tried or settled, or is to be sent again. */
  deliveryChanged({ id, endpointId, jobId, state }: Omit<Delivery, "sizeBytes">): void {
    this.changes.push({ type: "webhook", endpointId, jobId, deliveryId: id, state });
  }

  /** Registers how to take back what the step changed beside what it keeps, should it fail or not be stored. */
  onFailure(undo: () => void): void {
    this.#undo.push(undo);
  }

  takeBack(): void {
    for (const undo of this.#undo.toReversed()) undo();
  }
}
