/** The stream of a job as an asynchronous iterator: whole yields or raw chunks, and the job's end. */
import type { RawChunk } from "../../protocol/chunk.ts";
import { JoinError } from "../../core/join.ts";
import { ChunkJoiner, type StreamChunk } from "./chunk-joiner.ts";
import { InvalidResponseError, StreamRestartedError } from "../errors/errors.ts";
import { completedOrThrow } from "../errors/job-error.ts";
import type { CompletedJob } from "../job.ts";
import { StreamSource } from "./stream-source.ts";
import type { Transport } from "../transport.ts";

export interface StreamOptions {
  /**
   * Index (`metrics.stream_index`) of the first chunk to read; default 0, the first of the current attempt. To resume after a
   * chunk, give its index plus 1. A split yield at the index is returned whole.
   */
  readonly from?: number | undefined;
  /** Stops reading. The job goes on. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called when the job was started again, before the first chunk of the new attempt: earlier chunks no longer count. Without
   * it, a restart after the first chunk ends the iteration with a StreamRestartedError, because the reader could not separate
   * the attempts.
   */
  readonly onRestart?: ((attempt: number) => void) | undefined;
}

/** The job to read, and where. */
export interface StreamTarget {
  readonly transport: Transport;
  readonly jobId: string;
  /** Path of `/stream/{id}`. */
  readonly path: string;
}

/** Turns chunks into the reader's items; `undefined` while parts are missing. */
interface Assembler<Item> {
  add(chunk: RawChunk): Item | undefined;
  drop(): void;
  end(): void;
  readonly isAmidYield: boolean;
}

/** The chunks as sent, with split yields in parts. */
export function streamRaw<Output>(
  target: StreamTarget,
  options: StreamOptions,
): JobStream<RawChunk, Output> {
  // Accepts parts wherever reading begins.
  const asIs = {
    add: (chunk: RawChunk) => chunk,
    drop: () => {},
    end: () => {},
    isAmidYield: true,
  };
  return read<RawChunk, Output>(target, options, asIs);
}

/** Whole yields. */
export function streamJoined<Chunk, Output>(
  target: StreamTarget,
  options: StreamOptions,
): JobStream<StreamChunk<Chunk>, Output> {
  return read<StreamChunk<Chunk>, Output>(target, options, new ChunkJoiner<Chunk>());
}

/** Yields items as the job makes them. Returns the COMPLETED job, and throws a JobError for any other end. */
export type JobStream<Item, Output> = AsyncGenerator<Item, CompletedJob<Output>, undefined>;

async function* read<Item, Output>(
  target: StreamTarget,
  options: StreamOptions,
  assembler: Assembler<Item>,
): JobStream<Item, Output> {
  const { transport, jobId, path } = target;
  const source = new StreamSource<Output>(
    transport,
    jobId,
    path,
    options.from ?? 0,
    options.signal,
  );
  // A reader that begins at a later index has read the chunks before it.
  let hasRead = (options.from ?? 0) > 0;
  for await (const event of source.events()) {
    if (event.kind === "restart") {
      assembler.drop();
      if (options.onRestart !== undefined) options.onRestart(event.attempt);
      else if (hasRead) throw new StreamRestartedError(jobId, event.attempt);
    } else if (event.kind === "chunk") {
      if (!assembler.isAmidYield && beginsAmidYield(event.chunk)) {
        // Goes back to the first part. This part is read again.
        source.rewind(partOf(event.chunk) + 1);
        continue;
      }
      const item = assemble(jobId, () => assembler.add(event.chunk));
      if (item === undefined) continue;
      hasRead = true;
      yield item;
    } else {
      const completed = completedOrThrow(event.job);
      assemble(jobId, () => assembler.end());
      if (completed !== undefined) return completed;
    }
  }
  throw new InvalidResponseError(`The stream of job ${jobId} ended without the job's end.`);
}

function partOf(chunk: RawChunk): number {
  return chunk.metrics.split?.part ?? 0;
}

/** True for a later part of a yield with a readable first part. */
function beginsAmidYield(chunk: RawChunk): boolean {
  const part = partOf(chunk);
  return part > 0 && part <= chunk.metrics.stream_index;
}

function assemble<T>(jobId: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    if (!(cause instanceof JoinError)) throw cause;
    throw new InvalidResponseError(
      `The stream of job ${jobId} cannot be joined: ${cause.message}`,
      { cause },
    );
  }
}
