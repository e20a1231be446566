/** Turns a value that a generator of a live worker yielded into lines of chunks. */
import { Buffer } from "node:buffer";
import { stringEnd } from "../../runtime/core/json-scan.ts";
import { NotSplittableError, splitJsonText } from "../../runtime/core/split-text.ts";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import { invalidRequest } from "../core/service-error.ts";

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const WHITESPACE: ReadonlySet<number | undefined> = new Set(Buffer.from(" \t\n\r"));

export interface ChunkLines {
  readonly count: number;
  /** The JSON text of each chunk, followed by a line feed. */
  readonly lines: Uint8Array;
}

/**
 * One chunk for an output of at most 1 MB of JSON, else as many as it takes (spec). The text is kept as it is unless it
 * has line breaks or is split.
 *
 * @param output valid JSON
 * @param firstIndex index of the first of them within the attempt
 * @throws ServiceError invalid_request
 */
export function chunkLines(output: Uint8Array, firstIndex: number, attempt: number): ChunkLines {
  const parts = partsOf(output);
  const pieces = parts.flatMap(({ json, split }, at) => {
    const own = attempt > 1 ? { attempt } : {};
    const metrics = { stream_index: firstIndex + at, ...own, ...split };
    return ['{"output":', json, `,"metrics":${JSON.stringify(metrics)}}\n`];
  });
  const lines = Buffer.concat(
    pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)),
  );
  return { count: parts.length, lines };
}

interface Part {
  readonly json: string | Uint8Array;
  readonly split?: { readonly split: object };
}

function partsOf(output: Uint8Array): readonly Part[] {
  const hasLineBreak = output.includes(LINE_FEED) || output.includes(CARRIAGE_RETURN);
  if (output.byteLength <= LIMITS.chunkMaxBytes && !hasLineBreak) return [{ json: output }];
  const compact = compactJson(output);
  if (compact.byteLength <= LIMITS.chunkMaxBytes) return [{ json: compact }];
  const parts = splitParts(compact);
  return parts.map(({ json, continues }, part) => ({
    json,
    split: { split: { part, continues, last: part === parts.length - 1 } },
  }));
}

function splitParts(compact: Buffer) {
  try {
    return splitJsonText(compact, LIMITS.chunkMaxBytes);
  } catch (error) {
    if (!(error instanceof NotSplittableError)) throw error;
    throw invalidRequest([`output cannot be split into chunks: ${error.message}`]);
  }
}

/** The same JSON without white space between its tokens. */
function compactJson(json: Uint8Array): Buffer {
  const compact = Buffer.allocUnsafe(json.byteLength);
  let size = 0;
  let at = 0;
  while (at < json.byteLength) {
    const byte = json[at] ?? 0;
    const end = byte === QUOTE ? stringEnd(json, at) : at + 1;
    if (!WHITESPACE.has(byte)) {
      compact.set(json.subarray(at, end), size);
      size += end - at;
    }
    at = end;
  }
  return compact.subarray(0, size);
}
