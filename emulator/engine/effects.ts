/** What a step asks to be done once it is durable, collected as values; dropped when the step fails. */
import type { ChunkBatch } from "../../runtime/protocol/chunk-batch.ts";
import type { JobEffect } from "../core/jobs/job-transition.ts";
import type { Job } from "../core/jobs/job.ts";
import type { JobMove } from "./observe/event-feed.ts";
import type { WorkerHandle } from "./workers/worker-handle.ts";

/** A job to be sent to the worker it was handed to. */
export interface Assignment {
  readonly worker: WorkerHandle;
  readonly job: Job;
  /** The payloads, if they are at hand; else they are read from the store. */
  readonly payloads: JobPayloads | undefined;
}

export interface JobPayloads {
  readonly input: Uint8Array;
  readonly s3Config: Uint8Array | undefined;
}

export class Effects {
  readonly ofJobs: JobEffect[] = [];
  readonly assignments: Assignment[] = [];
  /** Jobs that came to another status, in order, each as it became (or was, if it is deleted). */
  readonly moves: { readonly job: Job; readonly move: JobMove }[] = [];
  /** Endpoints whose queue changed. */
  readonly changedEndpoints = new Set<string>();
  /** Pods that were made, changed or deleted. */
  readonly changedPods = new Set<string>();
  /** Raw JSON of outputs that were stored, by job id, to spare the waiting callers a read. */
  readonly outputs = new Map<string, Uint8Array>();
  /** Chunks that were stored, by job id, to spare those who follow the stream a read. */
  readonly chunks = new Map<string, readonly ChunkBatch[]>();
  /** Whether a webhook call became due. */
  webhookDue = false;
  /** The earliest due moment of the jobs that changed. */
  earliestDueAt = Number.POSITIVE_INFINITY;
  readonly #undo: (() => void)[] = [];

  /** Notes that `job` came from the status `from` to `to`; null stands for no job. */
  moved(job: Job, from: JobMove["from"], to: JobMove["to"], by: JobMove["by"]): void {
    const { endpointId, id: jobId } = job;
    this.moves.push({ job, move: { type: "job", endpointId, jobId, from, to, by } });
  }

  /** Registers how to take back a change of memory made inside the transaction, should it fail. */
  onFailure(undo: () => void): void {
    this.#undo.push(undo);
  }

  takeBack(): void {
    for (const undo of this.#undo.toReversed()) undo();
  }
}
