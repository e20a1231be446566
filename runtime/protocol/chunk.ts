/** The form of one chunk of a job's stream, for workers and for readers of `/stream`. */

/** The place of a chunk within its yield, if the yield was too large for one chunk (ours). */
export interface SplitPosition {
  /** Index of the part within the yield, from 0. */
  readonly part: number;
  /** Number of nesting levels that the part continues; see runtime/core/split-text.ts. */
  readonly continues: number;
  /** True for the last part of the yield. */
  readonly last: boolean;
}

/** Data beside the output of a whole yield: our own entries, and those that the handler added. */
export interface YieldMetrics {
  /** Counts the chunks of one attempt from 0, without gaps (spec: the name; ours: the counting). */
  readonly stream_index: number;
  /** The attempt that made the chunk, from 2 on; absent in the first (ours). */
  readonly attempt?: number;
  readonly [name: string]: unknown;
}

/** Mark of a {@link ChunkWithMetrics}. Registered by name, so that it is the same in all copies of this package. */
export const CHUNK_BRAND: unique symbol = Symbol.for("sv-runtime.chunk");

/** A yield with metrics beside its output. */
export interface ChunkWithMetrics<Output = unknown> {
  readonly [CHUNK_BRAND]: true;
  readonly output: Output;
  readonly metrics: Readonly<Record<string, unknown>>;
}

/** The output for readers of the stream. */
export type Yielded<Chunk> = Chunk extends ChunkWithMetrics<infer Output> ? Output : Chunk;

/** Data beside a chunk's output. */
export interface ChunkMetrics extends YieldMetrics {
  /** Present when the chunk is a part of a yield that was split (ours). */
  readonly split?: SplitPosition;
}

/** One chunk: a value a handler yielded, or a part of one. */
export interface RawChunk {
  readonly output: unknown;
  readonly metrics: ChunkMetrics;
}
