/** `joinChunks`: joins raw chunks that were read without `stream` into whole yields. */
import type { RawChunk } from "../../protocol/chunk.ts";
import { ChunkJoiner, type StreamChunk } from "./chunk-joiner.ts";

/**
 * Joins the chunks of one job's stream. Returns an array for an array, and an asynchronous generator for an asynchronous source. When a new attempt begins, an unfinished yield of the previous one is dropped, and finished ones are kept.
 *
 * @throws JoinError if parts are missing or out of order
 */
export function joinChunks<Output = unknown>(chunks: Iterable<RawChunk>): StreamChunk<Output>[];
export function joinChunks<Output = unknown>(
  chunks: AsyncIterable<RawChunk>,
): AsyncGenerator<StreamChunk<Output>, void, undefined>;
export function joinChunks<Output>(
  chunks: Iterable<RawChunk> | AsyncIterable<RawChunk>,
): StreamChunk<Output>[] | AsyncGenerator<StreamChunk<Output>, void, undefined> {
  const joiner = new ChunkJoiner<Output>();
  if (Symbol.asyncIterator in chunks) return joinAsync(joiner, chunks);
  const whole: StreamChunk<Output>[] = [];
  for (const chunk of chunks) {
    const joined = joiner.add(chunk);
    if (joined !== undefined) whole.push(joined);
  }
  joiner.end();
  return whole;
}

async function* joinAsync<Output>(
  joiner: ChunkJoiner<Output>,
  chunks: AsyncIterable<RawChunk>,
): AsyncGenerator<StreamChunk<Output>, void, undefined> {
  for await (const chunk of chunks) {
    const joined = joiner.add(chunk);
    if (joined !== undefined) yield joined;
  }
  joiner.end();
}
