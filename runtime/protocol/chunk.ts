/** The wire shape of one chunk of a job's stream, as workers write it and readers of `/stream` get it. */

/** Where a chunk stands in the value it is a part of, when one yield was too large for one chunk (ours). */
export interface SplitPosition {
  /** 0 for the first part of the yield, one more for each further one. */
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

/** Mark of a {@link ChunkWithMetrics}. Registered by name, so that a handler with its own copy of this package is understood too. */
export const CHUNK_BRAND: unique symbol = Symbol.for("sv-runtime.chunk");

/** A yield with metrics beside its output; only for yielding. */
export interface ChunkWithMetrics<Output = unknown> {
  readonly [CHUNK_BRAND]: true;
  readonly output: Output;
  readonly metrics: Readonly<Record<string, unknown>>;
}

/** What readers of the stream get of a yield. */
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
