/** `joinChunks`: whole yields from raw chunks that were read without `stream`. */
import type { RawChunk } from "../../protocol/chunk.ts";
import { ChunkJoiner, type StreamChunk } from "./chunk-joiner.ts";

/**
 * Joins the chunks of one job's stream: an array gives an array, an asynchronous source an asynchronous generator.
 * When the attempt grows, an unfinished yield of the attempt before is dropped; finished ones are kept.
 *
 * @throws JoinError when parts are missing or out of order
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
