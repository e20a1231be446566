/** A yield that carries metrics beside its output. */

const brand = Symbol.for("sv-runtime.chunk");

/** What {@link chunk} makes; only good for yielding. */
export interface ChunkWithMetrics {
  readonly output: unknown;
  readonly metrics: Readonly<Record<string, unknown>>;
}

/**
 * Makes a yield with metrics: `yield chunk(text, { output_tokens: 3 })`. In the job's stream it is
 * `{"output": text, "metrics": {"stream_index": n, "output_tokens": 3}}`.
 *
 * @param output any value with a JSON form
 * @param metrics values by name; `stream_index`, `split` and `attempt` are the runtime's own and are overwritten
 */
export function chunk(
  output: unknown,
  metrics: Readonly<Record<string, unknown>>,
): ChunkWithMetrics {
  const made = { output, metrics };
  // Registered by name, so that a handler with its own copy of this package is understood too.
  Object.defineProperty(made, brand, { value: true });
  return made;
}

/** True when `value` was made by {@link chunk}. */
export function isChunk(value: unknown): value is ChunkWithMetrics {
  return typeof value === "object" && value !== null && brand in value;
}
