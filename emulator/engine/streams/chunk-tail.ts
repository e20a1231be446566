/** The newest chunks of one job in memory, for a reader that keeps up with the stream. */
import { type ChunkBatch, cutBatch } from "../../../runtime/protocol/chunk-batch.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import type { JobRef } from "../steps/job-watchers.ts";
import type { JobChange, JobNews } from "../steps/job-watchers.ts";
import { JobSignal } from "../jobs/read/job-signal.ts";

/** Maximum number of chunks in memory; a slower reader reads from the store. */
const KEPT_MAX_BYTES = 2 * LIMITS.chunkMaxBytes;

/** End of the job. */
type JobEnd = JobChange & { readonly type: "settled" };

export class ChunkTail implements Disposable {
  readonly #signal: JobSignal;
  #kept: ChunkBatch[] = [];
  #keptBytes = 0;
  /** The attempt of the chunks. */
  #attempt = 0;
  #isBehind = true;
  #end: JobEnd | undefined;

  constructor(engine: TimePort & WakePort, ref: JobRef) {
    this.#signal = new JobSignal(engine, ref, (change) => this.#keep(change));
    for (const change of engine.earlyChunks.shown(ref.jobId)) this.#keep(change);
  }

  /**
   * True if there may be more than `take` returns: chunks in the store, the end of the job, a new attempt, or its deletion.
   * True at first.
   */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Call it before a read of the store: the read includes every chunk so far. */
  readingStore(): void {
    this.#isBehind = false;
  }

  /** The store had chunks, so it may have more. */
  foundInStore(): void {
    this.#isBehind = true;
  }

  /** Whether it has the chunks of the attempt from the first one on. */
  beginsAttempt(attempt: number): boolean {
    return attempt === this.#attempt && this.#kept[0]?.firstIndex === 0;
  }

  /** Chunks of the attempt from `index` on, if they are in memory. */
  take(attempt: number, index: number): ChunkBatch | undefined {
    for (;;) {
      const batch = this.#kept[0];
      if (batch === undefined) return undefined;
      if (attempt !== this.#attempt || batch.firstIndex > index) {
        this.#isBehind = true;
        return undefined;
      }
      this.#kept.shift();
      this.#keptBytes -= batch.lines.byteLength;
      const rest = cutBatch(batch, { from: index, maxCount: batch.count, maxBytes: Infinity });
      if (rest !== undefined) return rest;
    }
  }

  /** End of the job, if it is known and no chunk of the attempt follows `index`. */
  endAt(attempt: number, index: number): JobEnd | undefined {
    const { job } = this.#end ?? {};
    return job?.attempt === attempt && job.chunkCount === index ? this.#end : undefined;
  }

  /** True if the job has changed since the last call; false if `holdMs` passed or `signal` aborted first. */
  changed(holdMs: number, signal: AbortSignal): Promise<boolean> {
    return this.#signal.changed(holdMs, signal);
  }

  [Symbol.dispose](): void {
    this.#signal[Symbol.dispose]();
  }

  #keep(change: JobNews): void {
    this.#end = change.type === "settled" ? change : undefined;
    if (change.type !== "chunks") {
      this.#isBehind = true;
      return;
    }
    if (change.job.attempt !== this.#attempt) this.#forget();
    this.#attempt = change.job.attempt;
    for (const batch of change.batches) {
      this.#kept.push(batch);
      this.#keptBytes += batch.lines.byteLength;
    }
    if (this.#keptBytes > KEPT_MAX_BYTES) this.#forget();
  }

  #forget(): void {
    this.#kept = [];
    this.#keptBytes = 0;
    this.#isBehind = true;
  }
}
