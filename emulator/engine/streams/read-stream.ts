/** Reads a job's chunks: one batch at a time, from an index, or followed as they come. */
import { type ChunkBatch, chunksOf } from "../../../runtime/protocol/chunk-batch.ts";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { StoreReads } from "../../store/store.ts";
import { apply } from "../jobs/apply.ts";
import type { Uses } from "../context.ts";
import { askOrEnd, unlessDamaged } from "../jobs/damaged-data.ts";
import {
  findJob,
  readJob,
  type JobRef,
  type JobView,
  viewJob,
  viewOfEnd,
  type WaitUses,
} from "../jobs/read/job-view.ts";
import { ChunkTail } from "./chunk-tail.ts";
import { JobSignal } from "../jobs/read/job-signal.ts";

/** At most this much is read from the store at a time. */
const WINDOW = { maxCount: 1_000, maxBytes: 8 * LIMITS.chunkMaxBytes } as const;

export interface StreamPart {
  readonly job: Job;
  /** Raw JSON texts `{"output":…,"metrics":…}` in order. */
  readonly chunks: readonly Uint8Array[];
  /** True when the job has ended and these are its last chunks. */
  readonly last: boolean;
}

/**
 * The chunks since the previous read, or from index `from` without consuming. Held open until there is one, the job has
 * ended, `holdMs` passed or `signal` aborts.
 *
 * @throws ServiceError job_not_found, endpoint_moved
 */
export async function readStream(
  engine: WaitUses,
  ref: JobRef,
  options: {
    readonly from?: number | undefined;
    readonly holdMs: number;
    readonly signal: AbortSignal;
  },
): Promise<StreamPart> {
  engine.directory.queue(ref.endpointId);
  const read = () =>
    options.from === undefined ? consume(engine, ref) : readPart(engine, ref, options.from);
  using signal = new JobSignal(engine, ref);
  const until = engine.clock.now() + options.holdMs;
  for (;;) {
    const part = await read();
    engine.ownership.refuseMoved(ref.endpointId);
    const leftMs = until - engine.clock.now();
    if (part.chunks.length > 0 || part.last || options.signal.aborted || leftMs <= 0) return part;
    await signal.changed(leftMs, options.signal);
  }
}

export type StreamEvent =
  | { readonly type: "chunks"; readonly batch: ChunkBatch; readonly attempt: number }
  /** The job runs again: what came before is void, the next chunk has index 0. */
  | { readonly type: "restart"; readonly attempt: number }
  /** The final status; nothing follows. */
  | { readonly type: "end"; readonly view: JobView }
  /** Nothing happened for a while; keeps intermediaries from closing the connection. */
  | { readonly type: "still-running" };

/**
 * Follows the job's chunks from index `from` to its end, without consuming. A caller that keeps up gets chunks from
 * memory when they have been stored; one that does not gets them from the store, as fast as it takes events. Ends early
 * when `signal` aborts.
 *
 * @throws ServiceError job_not_found, also when the job is deleted meanwhile; endpoint_moved
 */
export async function* followStream(
  engine: WaitUses,
  ref: JobRef,
  options: {
    readonly from: number;
    /** The attempt in which `from` was counted, if the reader knows it; another one is told as a restart. */
    readonly attempt?: number | undefined;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<StreamEvent, void, undefined> {
  engine.directory.queue(ref.endpointId);
  using tail = new ChunkTail(engine, ref);
  const place = new ReadingPlace(options.from, options.attempt ?? 0);
  tail.readingStore();
  const known = await engine.steps.jobInMemory(ref.jobId);
  // What there will be to know of it, the tail is told.
  if (options.from === 0 && known !== undefined && isBeforeItsChunks(known, ref))
    place.reach(known.attempt);
  else tail.foundInStore();
  for (;;) {
    engine.ownership.refuseMoved(ref.endpointId);
    const kept = tail.take(place.attempt, place.next);
    if (kept !== undefined) {
      yield place.pass(kept);
      continue;
    }
    const end = tail.endAt(place.attempt, place.next);
    if (end !== undefined) {
      yield { type: "end", view: await viewOfEnd(engine, end) };
      return;
    }
    if (tail.isBehind) {
      tail.readingStore();
      const { job, batches, last } = await readFrom(engine, ref, place.next);
      const restart = place.reach(job.attempt);
      if (restart || batches.length > 0) tail.foundInStore();
      if (restart) {
        yield restart;
        continue;
      }
      for (const batch of batches) yield place.pass(batch);
      if (last) {
        yield { type: "end", view: await viewJob(engine, ref) };
        return;
      }
      if (batches.length > 0) continue;
    }
    const hasChanged = await tail.changed(LIMITS.streamHoldMs, options.signal);
    if (options.signal.aborted) return;
    if (!hasChanged) yield { type: "still-running" };
  }
}

function isBeforeItsChunks({ endpointId, status, chunkCount }: Job, ref: JobRef): boolean {
  return endpointId === ref.endpointId && chunkCount === 0 && !isTerminal(status);
}

/** How far a reader has come: everything before index `next` of `attempt`. */
class ReadingPlace {
  #next: number;
  #attempt: number;

  /** @param attempt 0 if the reader does not know it */
  constructor(next: number, attempt: number) {
    this.#next = next;
    this.#attempt = attempt;
  }

  get next(): number {
    return this.#next;
  }

  get attempt(): number {
    return this.#attempt;
  }

  pass(batch: ChunkBatch): StreamEvent {
    this.#next = batch.firstIndex + batch.count;
    return { type: "chunks", batch, attempt: this.#attempt };
  }

  /** The job is in that attempt; what is to be said if chunks of another one were read. */
  reach(attempt: number): StreamEvent | undefined {
    const restarted = attempt !== this.#attempt && this.#attempt > 0 && this.#next > 0;
    this.#attempt = attempt;
    if (!restarted) return undefined;
    this.#next = 0;
    return { type: "restart", attempt };
  }
}

interface StoredPart {
  readonly job: Job;
  readonly batches: readonly ChunkBatch[];
  /** True when the job has ended and these are its last chunks. */
  readonly last: boolean;
}

async function readFrom(
  engine: Uses<"clock" | "fleet" | "lease" | "log" | "random" | "steps">,
  ref: JobRef,
  from: number,
): Promise<StoredPart> {
  const ask = async (view: StoreReads) => {
    for (;;) {
      const job = await readJob(view, ref);
      const batches = await chunksOfJob(view, job, from);
      if (batches === undefined) return { job, batches: [], last: true };
      // Between the two questions the job may have begun anew: its chunks would be those of another attempt.
      const { attempt } = await readJob(view, ref);
      if (attempt !== job.attempt) continue;
      const end = batches.reduce((sum, { count }) => sum + count, from);
      return { job, batches, last: isTerminal(job.status) && end >= job.chunkCount };
    }
  };
  return askOrEnd(engine, ref.jobId, () => engine.steps.read(ask));
}

/** Undefined if they are damaged, and the job is known to be. */
function chunksOfJob(view: StoreReads, job: Job, from: number) {
  return unlessDamaged(job, () => view.chunks(job.seq, { from, ...WINDOW }));
}

async function readPart(
  engine: Uses<"clock" | "fleet" | "lease" | "log" | "random" | "steps">,
  ref: JobRef,
  from: number,
): Promise<StreamPart> {
  const { job, batches, last } = await readFrom(engine, ref, from);
  return { job, chunks: batches.flatMap(chunksOf), last };
}

async function consume(
  engine: Uses<"clock" | "fleet" | "lease" | "log" | "random" | "steps">,
  ref: JobRef,
): Promise<StreamPart> {
  const ask = async (view: StoreReads) => {
    const found = await readJob(view, ref);
    return { job: found, batches: await chunksOfJob(view, found, found.chunksRead) };
  };
  const { job, batches } = await askOrEnd(engine, ref.jobId, () => engine.steps.read(ask));
  if (batches === undefined) return { job, chunks: [], last: true };
  const chunks = batches.flatMap(chunksOf);
  const last = (at: Job) => isTerminal(at.status) && at.chunksRead >= at.chunkCount;
  if (chunks.length === 0) return { job, chunks, last: last(job) };
  return engine.steps.commit(
    (step) => {
      const current = findJob(step, ref);
      if (current.chunksRead !== job.chunksRead || current.attempt !== job.attempt) {
        return { job: current, chunks: [], last: last(current) };
      }
      const event = { type: "read-chunks", count: chunks.length } as const;
      const read = apply(step, current, event, engine.clock.now());
      const advanced = read.result === "changed" ? read.job : current;
      return { job: advanced, chunks, last: last(advanced) };
    },
    { jobs: [ref.jobId] },
  );
}
