/** The effects of a step as values: released once it is durable, dropped when it fails. */
import type { ChunkBatch } from "../../runtime/protocol/chunk-batch.ts";
import type { JobEffect } from "../core/jobs/job-transition.ts";
import type { Job } from "../core/jobs/job.ts";
import type { JobMove } from "./observe/event-feed.ts";
import type { WorkerHandle } from "./workers/worker-handle.ts";

/** A job to send to the worker that it was handed to. */
export interface Assignment {
  readonly worker: WorkerHandle;
  readonly job: Job;
  /** The payloads, if they are in memory; otherwise they are read from the store. */
  readonly payloads: JobPayloads | undefined;
}

export interface JobPayloads {
  readonly input: Uint8Array;
  readonly s3Config: Uint8Array | undefined;
}

export class Effects {
  readonly ofJobs: JobEffect[] = [];
  readonly assignments: Assignment[] = [];
  /** Jobs whose status changed, in order: each as it is now, or as it was before it was deleted. */
  readonly moves: { readonly job: Job; readonly move: JobMove }[] = [];
  /** Endpoints whose queue changed. */
  readonly changedEndpoints = new Set<string>();
  /** Pods that were made, changed or deleted. */
  readonly changedPods = new Set<string>();
  /** Raw JSON of stored outputs by job id, so that waiting requests need not read them. */
  readonly outputs = new Map<string, Uint8Array>();
  /** Stored chunks by job id, so that readers of the stream need not read them. */
  readonly chunks = new Map<string, readonly ChunkBatch[]>();
  /** Whether a webhook call became due. */
  webhookDue = false;
  /** The earliest due moment of the jobs that changed. */
  earliestDueAt = Number.POSITIVE_INFINITY;
  readonly #undo: (() => void)[] = [];

  /** Records that the status of `job` changed; null stands for a job that does not exist. */
  moved(job: Job, from: JobMove["from"], to: JobMove["to"], by: JobMove["by"]): void {
    const { endpointId, id: jobId } = job;
    this.moves.push({ job, move: { type: "job", endpointId, jobId, from, to, by } });
  }

  /** Registers how to undo a change of memory if the transaction fails. */
  onFailure(undo: () => void): void {
    this.#undo.push(undo);
  }

  takeBack(): void {
    for (const undo of this.#undo.toReversed()) undo();
  }
}
