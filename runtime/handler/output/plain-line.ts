/** Fast path for a chunk that is a long plain text: the text is written as bytes first and checked afterwards. */
import { Buffer } from "node:buffer";
import { isPlainText } from "../../protocol/plain-text.ts";
import { LIMITS } from "../../protocol/limits.ts";

/** Minimum length of a text for the fast path. JSON.stringify is as fast for shorter texts. */
const MIN_LENGTH = 16_384;
const QUOTES_BYTES = 2;

/**
 * The line of a chunk with the output `value`, equal to that of `chunkLines`. Undefined unless `value` is a long string that
 * fits in a chunk and needs no escaping.
 */
export function plainLine(value: unknown, index: number, attempt: number): Buffer | undefined {
  if (typeof value !== "string" || value.length < MIN_LENGTH) return undefined;
  if (value.length > LIMITS.chunkMaxBytes - QUOTES_BYTES) return undefined;
  const start = '{"output":"';
  const own = attempt > 1 ? `,"attempt":${attempt}` : "";
  const end = `","metrics":{"stream_index":${index}${own}}}\n`;
  const line = Buffer.allocUnsafe(start.length + value.length + end.length);
  line.write(start, "latin1");
  // For a text with other characters, `write` may write fewer bytes, but never bytes that look plain.
  const written = line.write(value, start.length, value.length, "utf8");
  if (
    written !== value.length ||
    !isPlainText(line.subarray(start.length, start.length + written))
  ) {
    return undefined;
  }
  line.write(end, start.length + written, "latin1");
  return line;
}
