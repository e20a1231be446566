/** Reads a job's chunks: one batch at a time, from an index, or followed as they come. */
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { BatchWindow } from "../../store/payload.ts";
import type { StoreReads } from "../../store/store.ts";
import { apply } from "../steps/apply.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import { askOrEnd, unlessDamaged } from "../jobs/damaged-data.ts";
import {
  findJob,
  readJob,
  type JobView,
  viewJob,
  viewOfEnd,
  type WaitUses,
} from "../jobs/read/job-view.ts";
import type { JobRef } from "../steps/job-watchers.ts";
import { ChunkTail } from "./chunk-tail.ts";
import {
  closeBatches,
  countOf,
  IN_HAND_MAX_BYTES,
  showBatches,
  type ShownBatch,
} from "./shown-batches.ts";
import { JobSignal } from "../jobs/read/job-signal.ts";

type Most = Omit<BatchWindow, "from">;

/** One part of a stream. */
const WINDOW: Most = {
  maxCount: 1_000,
  maxBytes: 8 * LIMITS.chunkMaxBytes,
  maxInHand: IN_HAND_MAX_BYTES,
};

/** Maximum size of chunks that a follower holds at a time; it may hold them for long. */
const LOOK_AHEAD: Most = { maxCount: 16_384, maxBytes: 65_536 };

export interface StreamPart {
  readonly job: Job;
  /** Raw JSON texts `{"output":…,"metrics":…}` in order. To be disposed of. */
  readonly batches: readonly ShownBatch[];
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
  const { from } = options;
  const read = () =>
    from === undefined ? consume(engine, ref) : readFrom(engine, ref, () => from, WINDOW);
  using signal = new JobSignal(engine, ref);
  const until = engine.clock.now() + options.holdMs;
  for (;;) {
    const part = await read();
    try {
      engine.ownership.refuseMoved(ref.endpointId);
    } catch (error) {
      await closeBatches(part.batches);
      throw error;
    }
    const leftMs = until - engine.clock.now();
    if (part.batches.length > 0 || part.last || options.signal.aborted || leftMs <= 0) return part;
    await signal.changed(leftMs, options.signal);
  }
}

export type StreamEvent =
  | { readonly type: "chunks"; readonly batch: ShownBatch; readonly attempt: number }
  /** The job runs again, or chunks were not stored: earlier chunks are void, and the next chunk has index 0. */
  | { readonly type: "restart"; readonly attempt: number }
  /** The final status; nothing follows. */
  | { readonly type: "end"; readonly view: JobView }
  /** Nothing happened for a while; keeps intermediaries from closing the connection. */
  | { readonly type: "still-running" };

interface FollowOptions {
  readonly from: number;
  /** The attempt to which `from` belongs, if the reader knows it. A different attempt is reported as a restart. */
  readonly attempt?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Follows the job's chunks from index `from` to its end, without consuming. A fast caller gets chunks from memory as they are shown. A
 * slow caller gets them from the store, at its own pace. Ends early when `signal` aborts.
 * @throws ServiceError job_not_found, also when the job is deleted meanwhile; endpoint_moved
 */
export async function* followStream(
  engine: WaitUses,
  ref: JobRef,
  options: FollowOptions,
): AsyncGenerator<StreamEvent, void, undefined> {
  engine.directory.queue(ref.endpointId);
  using tail = new ChunkTail(engine, ref);
  const place = new ReadingPlace(options.from, options.attempt ?? 0);
  tail.readingStore();
  const known = tail.job ?? (await engine.steps.runningJob(ref.jobId));
  // The tail has the chunks that are not stored yet, and is told all further news of the job.
  if (options.from === 0 && known !== undefined && hasAllChunks(tail, known, ref))
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
      const { job, batches, last } = await lookAhead(engine, ref, place.next);
      const restart = place.reach(job.attempt);
      if (restart || batches.length > 0) tail.foundInStore();
      if (restart) {
        await closeBatches(batches);
        yield restart;
        continue;
      }
      yield* passAll(place, batches);
      const undone = last && place.ends(job.chunkCount);
      if (last) yield undone || { type: "end", view: await viewJob(engine, ref) };
      if (last && !undone) return;
      if (undone) tail.foundInStore();
      if (undone || batches.length > 0) continue;
    }
    const hasChanged = await tail.changed(LIMITS.streamHoldMs, options.signal);
    if (options.signal.aborted) return;
    if (!hasChanged) yield { type: "still-running" };
  }
}

function hasAllChunks(tail: ChunkTail, job: Job, { endpointId }: JobRef): boolean {
  if (job.endpointId !== endpointId || isTerminal(job.status)) return false;
  return job.chunkCount === 0 || tail.beginsAttempt(job.attempt);
}

/** Position of a reader, who has everything before index `next` of `attempt`. */
class ReadingPlace {
  #next: number;
  /** Number of chunks of the attempt up to the last one that the reader was told. */
  #told: number;
  #attempt: number;

  /** @param attempt 0 if the reader does not know it */
  constructor(next: number, attempt: number) {
    this.#next = next;
    this.#attempt = attempt;
    this.#told = attempt > 0 ? next : 0;
  }

  get next(): number {
    return this.#next;
  }

  get attempt(): number {
    return this.#attempt;
  }

  pass(batch: ShownBatch): StreamEvent {
    this.#next = batch.firstIndex + batch.count;
    this.#told = this.#next;
    return { type: "chunks", batch, attempt: this.#attempt };
  }

  /** The job is in that attempt. Returns a restart event if the reader had chunks of another attempt. */
  reach(attempt: number): StreamEvent | undefined {
    const restarted = attempt !== this.#attempt && this.#attempt > 0 && this.#next > 0;
    this.#attempt = attempt;
    return restarted ? this.#restart() : undefined;
  }

  /** The job has ended with `count` chunks. Returns a restart event if the reader was told chunks that were not stored. */
  ends(count: number): StreamEvent | undefined {
    return this.#told > count ? this.#restart() : undefined;
  }

  #restart(): StreamEvent {
    [this.#next, this.#told] = [0, 0];
    return { type: "restart", attempt: this.#attempt };
  }
}

/** Disposes of the chunks that the reader does not come to. */
async function* passAll(
  place: ReadingPlace,
  batches: readonly ShownBatch[],
): AsyncGenerator<StreamEvent, void, undefined> {
  const left = [...batches];
  try {
    for (let batch = left.shift(); batch; batch = left.shift()) yield place.pass(batch);
  } finally {
    await closeBatches(left);
  }
}

type ReadUses = StepPort & TimePort & WorkerPort & TellPort;

function lookAhead(engine: ReadUses, ref: JobRef, from: number): Promise<StreamPart> {
  return readFrom(engine, ref, () => from, LOOK_AHEAD);
}

async function readFrom(
  engine: ReadUses,
  ref: JobRef,
  fromOf: (job: Job) => number,
  most: Most,
): Promise<StreamPart> {
  const ask = async (view: StoreReads) => {
    for (;;) {
      const job = await readJob(view, ref);
      const from = fromOf(job);
      const found = await unlessDamaged(job, () => view.chunkBatches(job.seq, { from, ...most }));
      // The job may have begun anew between the two reads: its chunks would belong to another attempt.
      const { attempt } = await readJob(view, ref);
      if (attempt !== job.attempt) continue;
      const batches =
        found && (await unlessDamaged(job, () => showBatches(found, { from, ...most })));
      if (batches === undefined) return { job, batches: [], last: true };
      return {
        job,
        batches,
        last: isTerminal(job.status) && from + countOf(batches) >= job.chunkCount,
      };
    }
  };
  return askOrEnd(engine, ref.jobId, () => engine.steps.read(ask));
}

async function consume(engine: ReadUses, ref: JobRef): Promise<StreamPart> {
  const part = await readFrom(engine, ref, ({ chunksRead }) => chunksRead, WINDOW);
  const { job, batches } = part;
  const count = countOf(batches);
  if (count === 0) return part;
  const last = (at: Job) => isTerminal(at.status) && at.chunksRead >= at.chunkCount;
  try {
    const taken = await engine.steps.commit(
      (step) => {
        const current = findJob(step, ref);
        if (current.chunksRead !== job.chunksRead || current.attempt !== job.attempt)
          return { job: current, batches: [], last: last(current) };
        const event = { type: "read-chunks", count } as const;
        const read = apply(step, current, event, engine.clock.now());
        const advanced = read.result === "changed" ? read.job : current;
        return { job: advanced, batches, last: last(advanced) };
      },
      { jobs: [ref.jobId] },
    );
    if (taken.batches.length === 0) await closeBatches(batches);
    return taken;
  } catch (error) {
    await closeBatches(batches);
    throw error;
  }
}
