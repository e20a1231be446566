/** The listeners that wait for changes of a job: long polls and open streams. */
import type { ChunkBatch } from "../../../../runtime/protocol/chunk-batch.ts";
import type { Job } from "../../../core/jobs/job.ts";

/** A change of a job that someone may wait for. */
export type JobChange =
  /** The job ended; `output` is its raw JSON if it was at hand, else it is in the store. */
  | { readonly type: "settled"; readonly job: Job; readonly output: Uint8Array | undefined }
  /** Chunks were stored: these. */
  | { readonly type: "chunks"; readonly job: Job; readonly batches: readonly ChunkBatch[] }
  | { readonly type: "restarted"; readonly job: Job }
  | { readonly type: "removed"; readonly job: Job; readonly by: "purge" | "expiry" };

export type JobListener = (change: JobChange) => void;

export class JobWatchers {
  readonly #listeners = new Map<string, Set<JobListener>>();

  /** Calls `listener` with each change of the job until the returned function is called. */
  watch(jobId: string, listener: JobListener): () => void {
    const listeners = this.#listeners.get(jobId) ?? new Set();
    this.#listeners.set(jobId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(jobId) === listeners)
        this.#listeners.delete(jobId);
    };
  }

  isWatched(jobId: string): boolean {
    return this.#listeners.has(jobId);
  }

  publish(jobId: string, change: JobChange): void {
    for (const listener of [...(this.#listeners.get(jobId) ?? [])]) listener(change);
  }
}
