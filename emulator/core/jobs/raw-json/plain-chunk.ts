/** Recognizes the usual line of a chunk quickly: a text without escapes, and no metrics but its index. */
import { Buffer } from "node:buffer";
import type { PlainTextFinder } from "../../../../runtime/protocol/plain-text.ts";

const BEFORE_TEXT = Buffer.from('{"output":"');
const BEFORE_INDEX = Buffer.from('","metrics":{"stream_index":');
const END = Buffer.from("}}\n");

const ZERO = 0x30;

/**
 * The place after such a line with its line feed, if one begins at `start`; otherwise `start`.
 * @param finder of plain text in `bytes`
 */
export function endOfPlainChunk(bytes: Uint8Array, start: number, finder: PlainTextFinder): number {
  if (!liesAt(bytes, start, BEFORE_TEXT)) return start;
  const textEnd = finder.endOfRun(start + BEFORE_TEXT.length);
  if (!liesAt(bytes, textEnd, BEFORE_INDEX)) return start;
  const index = textEnd + BEFORE_INDEX.length;
  let end = index;
  while (isDigit(bytes[end])) end += 1;
  const isNumber = end === index + 1 || (end > index && bytes[index] !== ZERO);
  return isNumber && liesAt(bytes, end, END) ? end + END.length : start;
}

function liesAt(bytes: Uint8Array, start: number, wanted: Uint8Array): boolean {
  for (let at = 0; at < wanted.length; at += 1) if (bytes[start + at] !== wanted[at]) return false;
  return true;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}
