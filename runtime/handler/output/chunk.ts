/** A yield with metrics beside its output. */
import { CHUNK_BRAND, type ChunkWithMetrics } from "../../protocol/chunk.ts";

/**
 * Makes a yield with metrics: `yield chunk(text, { output_tokens: 3 })`. In the job's stream it is `{"output": text, "metrics":
 * {"stream_index": n, "output_tokens": 3}}`.
 *
 * @param output any value with a JSON form
 * @param metrics values by name; the runtime overwrites `stream_index`, `split` and `attempt`
 */
export function chunk<Output>(
  output: Output,
  metrics: Readonly<Record<string, unknown>>,
): ChunkWithMetrics<Output> {
  return Object.defineProperty({ output, metrics }, CHUNK_BRAND, {
    value: true as const,
  }) as ChunkWithMetrics<Output>;
}

/** True when `value` was made by {@link chunk}. */
export function isChunk(value: unknown): value is ChunkWithMetrics {
  return typeof value === "object" && value !== null && CHUNK_BRAND in value;
}
