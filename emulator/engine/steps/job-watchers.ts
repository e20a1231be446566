/** The listeners that wait for changes of a job: long polls and open streams. */
import type { ChunkBatch } from "../../../runtime/protocol/chunk-batch.ts";
import { guarded, type OnDefect } from "../../core/guarded.ts";
import type { Job } from "../../core/jobs/job.ts";

/** Names one job of one endpoint. */
export interface JobRef {
  readonly endpointId: string;
  readonly jobId: string;
}

/** A running job has these further chunks. */
export interface ChunkChange {
  readonly type: "chunks";
  readonly job: Job;
  readonly batches: readonly ChunkBatch[];
}

export type JobChange =
  /** The job ended. `output` is its raw JSON, or undefined if the output is only in the store. */
  | { readonly type: "settled"; readonly job: Job; readonly output: Uint8Array | undefined }
  | ChunkChange
  | { readonly type: "restarted"; readonly job: Job }
  | { readonly type: "removed"; readonly job: Job; readonly by: "purge" | "expiry" };

/** News of a job. `moved`: another process may own its endpoint now; no more news follows then. */
export type JobNews = JobChange | { readonly type: "moved" };

export type JobListener = (news: JobNews) => void;

interface Watch {
  readonly endpointId: string;
  readonly tell: JobListener;
}

export class JobWatchers {
  readonly #onDefect: OnDefect;
  /** By job id. A list is replaced, not changed. */
  readonly #watches = new Map<string, readonly Watch[]>();

  constructor(onDefect: OnDefect) {
    this.#onDefect = onDefect;
  }

  /** Calls `listener` with the news of the job until the returned function is called. */
  watch({ endpointId, jobId }: JobRef, listener: JobListener): () => void {
    const added = { endpointId, tell: guarded(listener, this.#onDefect) };
    const others = this.#watches.get(jobId);
    this.#watches.set(jobId, others ? [...others, added] : [added]);
    return () => {
      const left = this.#watches.get(jobId)?.filter((each) => each !== added);
      if (left?.length) this.#watches.set(jobId, left);
      else this.#watches.delete(jobId);
    };
  }

  isWatched(jobId: string): boolean {
    return this.#watches.has(jobId);
  }

  publish(jobId: string, change: JobChange): void {
    for (const { tell } of this.#watches.get(jobId) ?? []) tell(change);
  }

  /** Makes the waiting requests of the selected endpoints check whether their endpoint has moved. */
  endpointsMoved(isMeant: (endpointId: string) => boolean): void {
    for (const { endpointId, tell } of [...this.#watches.values()].flat())
      if (isMeant(endpointId)) tell({ type: "moved" });
  }
}
