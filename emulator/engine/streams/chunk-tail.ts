/** The newest chunks of one job in memory, for a reader that keeps up with the stream. */
import { type ChunkBatch, cutBatch } from "../../../runtime/protocol/chunk-batch.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import type { JobRef } from "../steps/job-watchers.ts";
import type { JobChange, JobNews } from "../steps/job-watchers.ts";
import { JobSignal } from "../jobs/read/job-signal.ts";

/** A reader that is further behind reads from the store. */
const KEPT_MAX_BYTES = 2 * LIMITS.chunkMaxBytes;

/** How the job ended. */
type JobEnd = JobChange & { readonly type: "settled" };

export class ChunkTail implements Disposable {
  readonly #signal: JobSignal;
  #kept: ChunkBatch[] = [];
  #keptBytes = 0;
  /** The attempt they are of. */
  #attempt = 0;
  #isBehind = true;
  #end: JobEnd | undefined;

  constructor(engine: TimePort & WakePort, ref: JobRef) {
    this.#signal = new JobSignal(engine, ref, (change) => this.#keep(change));
  }

  /**
   * True when there may be more to know than `take` gives: chunks that are in the store only, or that the job ended,
   * began anew or is gone. So it is at first.
   */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** What the store is asked from now on is no older than this moment. */
  readingStore(): void {
    this.#isBehind = false;
  }

  /** The store had something, so that it may have more. */
  foundInStore(): void {
    this.#isBehind = true;
  }

  /** Chunks of the attempt from `index` on, if they are at hand. */
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

  /** How the job ended, if that is known and nothing of the attempt comes from `index` on. */
  endAt(attempt: number, index: number): JobEnd | undefined {
    const { job } = this.#end ?? {};
    return job?.attempt === attempt && job.chunkCount === index ? this.#end : undefined;
  }

  /** True once the job has changed since the last call; false when `holdMs` passed or `signal` aborted before. */
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
