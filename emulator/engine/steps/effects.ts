/** The effects of a step as values: released once it is durable, dropped when it fails. */
import type { ServiceOrders, WorkerReport } from "../../../runtime/protocol/session.ts";
import type { JobEffect } from "../../core/jobs/job-transition.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { ReadablePayload } from "../../store/payload.ts";
import type { Fact, StatusMove } from "../../core/observe/fact.ts";
import type { ChunkChange, JobChange } from "./job-watchers.ts";
import type { Delivery } from "../../core/webhooks/delivery.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";

/** A job to send to the worker that it was handed to. */
export interface Assignment {
  readonly worker: WorkerHandle;
  readonly job: Job;
  /** The payloads, if they are in memory; otherwise they are read from the store. */
  readonly payloads: JobPayloads | undefined;
  /** Whether it is sent before the hand-over is durable. */
  readonly isEarly: boolean;
  /** Reason why the job could not be sent, for example an unreadable input. */
  readonly cause?: unknown;
}

export interface JobPayloads {
  readonly input: Uint8Array;
  readonly s3Config: Uint8Array | undefined;
  /** The worker has the input already; `input` is empty. */
  readonly inputIsAhead?: boolean;
}

/** The payloads as they lie in the store. */
export interface StoredPayloads {
  readonly input: ReadablePayload;
  readonly s3Config: Uint8Array | undefined;
}

/** The answers to a report: accepted outcomes and chunks, and leases that the worker does not hold. */
export type Receipts = Required<
  Pick<ServiceOrders, "outcomeReceipts" | "chunkReceipts" | "revocations">
>;

/** A report, and the session to which the acknowledgement goes. */
export interface Acknowledgement {
  readonly session: { acknowledge(report: WorkerReport, receipts: Receipts): void };
  readonly report: WorkerReport;
  readonly receipts: Receipts;
}

/** Actions to take once a step is durable. */
export type Effect =
  /** Tells observers that the status of a job changed. Shows the job as it is now, or as it was before its deletion. */
  | (StatusMove & { readonly type: "moved"; readonly job: Job })
  | { readonly type: "tell"; readonly fact: Fact }
  | { readonly type: "hand-over"; readonly assignment: Assignment }
  | Extract<JobEffect, { readonly type: "revoke" }>
  | (Acknowledgement & { readonly type: "acknowledge" })
  | { readonly type: "shown"; readonly change: ChunkChange }
  /** Tells the requests that wait for the job. */
  | { readonly type: "news"; readonly change: JobChange }
  /** Reads more waiting jobs of the endpoint into memory. */
  | { readonly type: "read-ahead"; readonly endpointId: string }
  | { readonly type: "pod-changed"; readonly podId: string }
  | { readonly type: "webhook-due" }
  /** A new delivery waits for the earlier ones of its job, if any is pending. */
  | { readonly type: "later-delivery"; readonly jobId: string };

export class Effects {
  /** The effects, in the order of the step's calls. `release-effects.ts` says in which order they are released. */
  readonly all: Effect[] = [];
  readonly changedEndpoints = new Set<string>();
  /** The earliest due time of the changed jobs. */
  earliestDueAt = Number.POSITIVE_INFINITY;

  get isEmpty(): boolean {
    const { all, changedEndpoints, earliestDueAt } = this;
    return all.length + changedEndpoints.size === 0 && !Number.isFinite(earliestDueAt);
  }

  add(effect: Effect): void {
    this.all.push(effect);
  }

  /** Records that the status of `job` changed; null stands for a job that does not exist. */
  moved(job: Job, from: StatusMove["from"], to: StatusMove["to"], by: StatusMove["by"]): void {
    this.add({ type: "moved", job, from, to, by });
  }

  /** Records that a delivery was made, tried or settled, or is to be sent again. */
  deliveryChanged({ id, endpointId, jobId, state }: Omit<Delivery, "sizeBytes">): void {
    const fact = { type: "webhook", endpointId, jobId, deliveryId: id, state } as const;
    this.add({ type: "tell", fact });
  }
}
