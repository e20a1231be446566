/** The newest chunks of one job in memory, for a reader that keeps up with the stream. */
import { type ChunkBatch, cutBatch } from "../../../runtime/protocol/chunk-batch.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { BytesInFlight, LimitPort } from "../limits/bytes-in-flight.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import type { JobRef } from "../steps/job-watchers.ts";
import type { JobChange, JobNews } from "../steps/job-watchers.ts";
import { JobSignal } from "../jobs/read/job-signal.ts";

/** Maximum chunks in memory for one reader: two messages of a worker. A slower reader reads from the store. */
const KEPT_MAX_BYTES = 8 * LIMITS.chunkMaxBytes;

/** Each reader may keep that much without a share of the memory for all readers. */
const UNSHARED_MAX_BYTES = 256_000;

/** End of the job. */
type JobEnd = JobChange & { readonly type: "settled" };

interface Kept {
  readonly batch: ChunkBatch;
  readonly share: Disposable | undefined;
}

export class ChunkTail implements Disposable {
  readonly #signal: JobSignal;
  readonly #room: BytesInFlight;
  readonly #endpointId: string;
  #kept: Kept[] = [];
  #keptBytes = 0;
  /** The job as of the newest chunks. */
  #job: Job | undefined;
  #isBehind = true;
  #end: JobEnd | undefined;
  /** The index after the newest chunk in memory, or taken. 0 once chunks were forgotten. */
  #reached = 0;
  /** The share of the batch that was taken last; its reader may still hold it. */
  #inHand: Disposable | undefined;

  constructor(engine: TimePort & WakePort & LimitPort, ref: JobRef) {
    this.#room = engine.showing;
    this.#endpointId = ref.endpointId;
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

  /** The job as of the newest chunks. Undefined if none have come. */
  get job(): Job | undefined {
    return this.#job;
  }

  /** Whether it has the chunks of the attempt from the first one on. */
  beginsAttempt(attempt: number): boolean {
    return attempt === this.#job?.attempt && this.#kept[0]?.batch.firstIndex === 0;
  }

  /** Chunks of the attempt from `index` on, if they are in memory. */
  take(attempt: number, index: number): ChunkBatch | undefined {
    this.#letGo();
    for (;;) {
      const [first] = this.#kept;
      if (first === undefined) return undefined;
      const { batch, share } = first;
      if (attempt !== this.#job?.attempt || batch.firstIndex > index) {
        this.#isBehind = true;
        return undefined;
      }
      this.#kept.shift();
      this.#keptBytes -= batch.lines.byteLength;
      this.#inHand = share;
      const rest = cutBatch(batch, { from: index, maxCount: batch.count, maxBytes: Infinity });
      if (rest !== undefined) return rest;
      this.#letGo();
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
    this.#letGo();
    this.#forget();
  }

  #keep(change: JobNews): void {
    if (change.type !== "moved" && change.job.endpointId !== this.#endpointId) return;
    this.#end = change.type === "settled" ? change : undefined;
    if (change.type !== "chunks") {
      this.#isBehind = true;
      return;
    }
    if (change.job.attempt !== this.#job?.attempt) this.#forget();
    this.#job = change.job;
    for (const batch of change.batches) {
      // Chunks are told again when they are durable, or were refused and have come again.
      const end = batch.firstIndex + batch.count;
      if (end <= this.#reached) continue;
      this.#reached = end;
      const { byteLength } = batch.lines;
      this.#keptBytes += byteLength;
      const isLittle = this.#keptBytes <= UNSHARED_MAX_BYTES;
      const share = isLittle ? undefined : this.#room.takeNow(byteLength);
      this.#kept.push({ batch, share });
      if ((!isLittle && !share) || this.#keptBytes > KEPT_MAX_BYTES) this.#forget();
    }
  }

  #letGo(): void {
    this.#inHand?.[Symbol.dispose]();
    this.#inHand = undefined;
  }

  #forget(): void {
    for (const { share } of this.#kept) share?.[Symbol.dispose]();
    this.#kept = [];
    this.#keptBytes = 0;
    this.#reached = 0;
    this.#isBehind = true;
  }
}
