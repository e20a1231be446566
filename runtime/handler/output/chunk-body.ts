/** Turns one yield into the lines of the chunks that carry it. */
import { Buffer } from "node:buffer";
import { NotSplittableError, splitJsonText } from "../../core/split-text.ts";
import { LIMITS } from "../../protocol/limits.ts";
import { isChunk } from "./chunk.ts";
import { exceeds, InvalidOutputError, toJson } from "./output.ts";

/** One yield, written as JSON. */
export interface YieldedJson {
  readonly json: string;
  readonly metrics: Readonly<Record<string, unknown>>;
}

const none = {};

/**
 * A yield of `undefined` counts as null: every yield is a chunk.
 *
 * @throws InvalidOutputError
 */
export function yieldedJson(value: unknown): YieldedJson {
  const carries = isChunk(value);
  const json = toJson(carries ? value.output : value, "A yielded value") ?? "null";
  return { json, metrics: carries ? value.metrics : none };
}

/**
 * The chunks of one yield, one line each. A yield of more than 1 MB of JSON is split into several chunks (spec), with
 * `metrics.split`, so that a reader can join them.
 *
 * @param firstIndex index of the first chunk within the attempt
 * @throws InvalidOutputError
 */
export function chunkLines(yielded: YieldedJson, firstIndex: number, attempt: number): string[] {
  const { json, metrics } = yielded;
  const own = attempt > 1 ? { attempt } : none;
  if (!exceeds(json, LIMITS.chunkMaxBytes)) return [line(json, metrics, firstIndex, own)];
  const parts = split(json);
  return parts.map((part, at) => {
    const { continues } = part;
    const about = { part: at, continues, last: at === parts.length - 1 };
    return line(part.json, metrics, firstIndex + at, { ...own, split: about });
  });
}

function split(json: string): ReturnType<typeof splitJsonText> {
  try {
    return splitJsonText(Buffer.from(json), LIMITS.chunkMaxBytes);
  } catch (error) {
    if (!(error instanceof NotSplittableError)) throw error;
    throw new InvalidOutputError(error.message, { cause: error });
  }
}

/** The chunk's JSON text and a line feed. JSON.stringify writes no line breaks. */
function line(
  json: string,
  metrics: YieldedJson["metrics"],
  index: number,
  own: Readonly<Record<string, unknown>>,
): string {
  if (metrics === none && own === none) {
    return `{"output":${json},"metrics":{"stream_index":${index}}}\n`;
  }
  // Readers use these metrics to join parts and distinguish attempts, so a handler cannot set them.
  const { stream_index: _index, split: _split, attempt: _attempt, ...users } = metrics;
  const all = toJson({ stream_index: index, ...users, ...own }, "The metrics of a chunk");
  return `{"output":${json},"metrics":${all}}\n`;
}
