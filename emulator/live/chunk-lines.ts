/** Turns a value that a generator of a live worker yielded into lines of chunks. */
import { Buffer } from "node:buffer";
import { stringEnd } from "../../runtime/core/json-scan.ts";
import { NotSplittableError, splitInSlices } from "../../runtime/core/split-text.ts";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import { SLICE_BYTES } from "../core/jobs/raw-json/scan.ts";
import { invalidRequest } from "../core/service-error.ts";
import { ownTurn } from "../engine/limits/own-turn.ts";

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

export interface ChunkLines {
  readonly count: number;
  /** The JSON text of each chunk, followed by a line feed. */
  readonly lines: Uint8Array;
}

/**
 * Makes one chunk of an output of at most 1 MB of JSON, else several (spec). The text stays as it is unless it has line breaks or is
 * split. Other work has its turns meanwhile.
 *
 * @param output valid JSON
 * @param firstIndex index of the first chunk within the attempt
 * @throws ServiceError invalid_request
 */
export async function chunkLines(
  output: Uint8Array,
  firstIndex: number,
  attempt: number,
): Promise<ChunkLines> {
  const parts = await partsOf(output);
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

async function partsOf(output: Uint8Array): Promise<readonly Part[]> {
  const hasLineBreak = output.includes(LINE_FEED) || output.includes(CARRIAGE_RETURN);
  if (output.byteLength <= LIMITS.chunkMaxBytes && !hasLineBreak) return [{ json: output }];
  const compact = await inTurns(compactJson(output));
  if (compact.byteLength <= LIMITS.chunkMaxBytes) return [{ json: compact }];
  const parts = await splitParts(compact);
  return parts.map(({ json, continues }, part) => ({
    json,
    split: { split: { part, continues, last: part === parts.length - 1 } },
  }));
}

async function splitParts(compact: Buffer) {
  try {
    return await inTurns(splitInSlices(compact, LIMITS.chunkMaxBytes, SLICE_BYTES));
  } catch (error) {
    if (!(error instanceof NotSplittableError)) throw error;
    throw invalidRequest([`output cannot be split into chunks: ${error.message}`]);
  }
}

/** Continues after each pause in a new turn of the event loop. */
async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await ownTurn();
  }
}

/** Removes white space between the tokens of JSON. Pauses after each slice. */
function* compactJson(json: Uint8Array): Generator<void, Buffer> {
  const compact = Buffer.allocUnsafe(json.byteLength);
  let size = 0;
  let sliceEnd = SLICE_BYTES;
  for (let at = 0; at < json.byteLength;) {
    const byte = json[at] ?? 0;
    const end = byte === QUOTE ? stringEnd(json, at) : at + 1;
    if (byte === QUOTE) {
      compact.set(json.subarray(at, end), size);
      size += end - at;
    } else if (!isWhitespace(byte)) {
      compact[size++] = byte;
    }
    at = end;
    if (at < sliceEnd) continue;
    sliceEnd = at + SLICE_BYTES;
    yield;
  }
  return compact.subarray(0, size);
}

function isWhitespace(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === LINE_FEED || byte === CARRIAGE_RETURN;
}
