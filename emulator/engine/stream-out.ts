/** Reading a job's chunks: consumed one batch at a time, from an index, or followed as they come. */
import { isTerminal } from "../../runtime/protocol/job-status.ts";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import type { Job } from "../core/job.ts";
import { apply } from "./apply.ts";
import { commit } from "./commit.ts";
import type { EngineContext } from "./context.ts";
import { findJob, type JobRef, type JobView, viewJob } from "./job-view.ts";
import { NewsBell } from "./news-bell.ts";

/** At most this much is read from the store at a time. */
const WINDOW = { maxCount: 1_000, maxBytes: 8 * LIMITS.chunkMaxBytes } as const;

export interface ChunkBatch {
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
 * @throws ServiceError job_not_found
 */
export async function readStream(
  engine: EngineContext,
  ref: JobRef,
  options: {
    readonly from?: number | undefined;
    readonly holdMs: number;
    readonly signal: AbortSignal;
  },
): Promise<ChunkBatch> {
  engine.directory.endpoint(ref.endpointId);
  const read = () =>
    options.from === undefined ? consume(engine, ref) : readFrom(engine, ref, options.from);
  using news = new NewsBell(engine, ref.jobId);
  const until = engine.clock.now() + options.holdMs;
  for (;;) {
    const batch = await read();
    const leftMs = until - engine.clock.now();
    if (batch.chunks.length > 0 || batch.last || options.signal.aborted || leftMs <= 0)
      return batch;
    await news.heard(leftMs, options.signal);
  }
}

export type StreamEvent =
  | {
      readonly type: "chunk";
      readonly body: Uint8Array;
      readonly index: number;
      readonly attempt: number;
    }
  /** The job runs again: what came before is void, the next chunk has index 0. */
  | { readonly type: "restart"; readonly attempt: number }
  /** The final status; nothing follows. */
  | { readonly type: "end"; readonly view: JobView }
  /** Nothing happened for a while; keeps intermediaries from closing the connection. */
  | { readonly type: "still-running" };

/**
 * Follows the job's chunks from index `from` to its end, without consuming. Reads from the store only as fast as the
 * caller takes events. Ends early when `signal` aborts.
 *
 * @throws ServiceError job_not_found, also when the job is deleted meanwhile
 */
export async function* followStream(
  engine: EngineContext,
  ref: JobRef,
  options: {
    readonly from: number;
    /** The attempt in which `from` was counted, if the reader knows it; another one is told as a restart. */
    readonly attempt?: number | undefined;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<StreamEvent, void, undefined> {
  engine.directory.endpoint(ref.endpointId);
  using news = new NewsBell(engine, ref.jobId);
  let next = options.from;
  let attempt = options.attempt ?? 0;
  for (;;) {
    const batch = await readFrom(engine, ref, next);
    if (batch.job.attempt !== attempt) {
      const restarted = attempt > 0 && next > 0;
      attempt = batch.job.attempt;
      if (restarted) {
        next = 0;
        yield { type: "restart", attempt };
        continue;
      }
    }
    for (const body of batch.chunks) yield { type: "chunk", body, index: next++, attempt };
    if (batch.last) {
      yield { type: "end", view: await viewJob(engine, ref) };
      return;
    }
    if (batch.chunks.length > 0) continue;
    const heard = await news.heard(LIMITS.streamHoldMs, options.signal);
    if (options.signal.aborted) return;
    if (!heard) yield { type: "still-running" };
  }
}

async function readFrom(engine: EngineContext, ref: JobRef, from: number): Promise<ChunkBatch> {
  return engine.store.read(async (view) => {
    for (;;) {
      const job = await findJob(view, ref);
      const chunks = await view.chunks(job.seq, { from, ...WINDOW });
      // Between the two questions the job may have begun anew: its chunks would be those of another attempt.
      const { attempt } = await findJob(view, ref);
      if (attempt !== job.attempt) continue;
      const last = isTerminal(job.status) && from + chunks.length >= job.chunkCount;
      return { job, chunks, last };
    }
  });
}

async function consume(engine: EngineContext, ref: JobRef): Promise<ChunkBatch> {
  const { job, chunks } = await engine.store.read(async (view) => {
    const found = await findJob(view, ref);
    return {
      job: found,
      chunks: await view.chunks(found.seq, { from: found.chunksRead, ...WINDOW }),
    };
  });
  const last = (at: Job) => isTerminal(at.status) && at.chunksRead >= at.chunkCount;
  if (chunks.length === 0) return { job, chunks, last: last(job) };
  return commit(engine, async (tx, after) => {
    const current = await findJob(tx, ref);
    if (current.chunksRead !== job.chunksRead || current.attempt !== job.attempt) {
      return { job: current, chunks: [], last: last(current) };
    }
    const event = { type: "read-chunks", count: chunks.length } as const;
    const read = await apply(tx, after, current, event, engine.clock.now());
    const advanced = read.result === "changed" ? read.job : current;
    return { job: advanced, chunks, last: last(advanced) };
  });
}
