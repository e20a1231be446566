/** Formats of a pushed stream: Server-Sent Events and lines of JSON (ours). */
import { Buffer } from "node:buffer";
import { chunksOf, LINE_FEED } from "../../../runtime/protocol/chunk-batch.ts";
import { freeAlone } from "../../core/jobs/free-memory.ts";
import type { OpenedPayload, Piece, PieceInHand } from "../../core/jobs/opened-payload.ts";
import type { StreamEvent } from "../../engine/streams/read-stream.ts";
import { joined } from "../operation/answers/answer.ts";

export interface StreamFormat {
  readonly contentType: string;
  /** The text of an event; empty for one that the format leaves out. `job` makes the body at the end. */
  frame(
    event: StreamEvent,
    job: (event: StreamEvent & { type: "end" }) => readonly Piece[],
  ): readonly Piece[];
  /** The text that tells a job of this request; `body` has its id and status. */
  job(body: readonly PieceInHand[]): readonly PieceInHand[];
  /** An error after the first byte; `body` is the body of an error answer. */
  error(body: readonly PieceInHand[]): readonly PieceInHand[];
}

/**
 * `event: chunk` with the chunk as data and its place as `id`, `event: restart`, and at last `event: end` with the job. While
 * nothing happens, a comment keeps intermediaries from closing the connection.
 */
export const EVENT_STREAM: StreamFormat = {
  contentType: "text/event-stream",
  frame(event, job) {
    switch (event.type) {
      case "chunks":
        return chunkEvents(event);
      case "restart":
        return [`event: restart\ndata: {"attempt":${event.attempt}}\n\n`];
      case "end":
        return ["event: end\ndata: ", ...job(event).map(onOneLine), "\n\n"];
      case "still-running":
        return [": still running\n\n"];
    }
  },
  job: (body) => ["event: job\ndata: ", ...body, "\n\n"],
  error: (body) => ["event: error\ndata: ", ...body, "\n\n"],
};

/** One line per chunk, `{"restart":attempt}`, and the job as the last line. Nothing is written while nothing happens. */
const JSON_LINES: StreamFormat = {
  contentType: "application/x-ndjson",
  frame(event, job) {
    switch (event.type) {
      case "chunks":
        return [event.batch.lines];
      case "restart":
        return [`{"restart":${event.attempt}}\n`];
      case "end":
        return [...job(event).map(onOneLine), "\n"];
      case "still-running":
        return [];
    }
  },
  job: (body) => [...body, "\n"],
  error: (body) => [...body, "\n"],
};

export const STREAM_FORMATS = {
  "text/event-stream": EVENT_STREAM,
  "application/x-ndjson": JSON_LINES,
} as const;

/** Types of an answer that may be a stream; the first one is the default. */
export const ANSWER_TYPES = [
  "application/json",
  "text/event-stream",
  "application/x-ndjson",
] as const;

/** Position of a reader: it knows all chunks before `from` of that attempt. */
export interface StreamPlace {
  readonly from: number;
  /** Undefined if the reader did not name it; `from` then counts in the current attempt. */
  readonly attempt: number | undefined;
}

/** The index of the chunk; from the second attempt on `attempt.index`, because indexes start again from 0. */
function placeOf(index: number, attempt: number): string {
  return attempt > 1 ? `${attempt}.${index}` : String(index);
}

/** Position after the event with this `id`; undefined for an invalid id. */
export function placeAfter(id: string): StreamPlace | undefined {
  const match = /^(?:([1-9]\d{0,8})\.)?(\d{1,15})$/.exec(id);
  return match ? { from: Number(match[2]) + 1, attempt: Number(match[1] ?? 1) } : undefined;
}

function chunkEvents({ batch, attempt }: StreamEvent & { type: "chunks" }): readonly Piece[] {
  const { firstIndex, count, lines } = batch;
  const head = (index: number) => `event: chunk\nid: ${placeOf(index, attempt)}\ndata: `;
  if (!(lines instanceof Uint8Array))
    return [{ ...lines, slices: () => eventSlices(lines, firstIndex, head) }];
  const chunks = chunksOf({ firstIndex, count, lines });
  return chunks.flatMap((chunk, at) => [head(firstIndex + at), chunk, EVENT_END]);
}

/** Each line as an event. */
async function* eventSlices(
  lines: OpenedPayload,
  firstIndex: number,
  head: (index: number) => string,
): AsyncGenerator<Uint8Array> {
  let index = firstIndex;
  let isAtStart = true;
  for await (const slice of lines.slices()) {
    const pieces: PieceInHand[] = [];
    for (let start = 0; start < slice.byteLength;) {
      if (isAtStart) pieces.push(head(index));
      const end = slice.indexOf(LINE_FEED, start);
      isAtStart = end >= 0;
      pieces.push(slice.subarray(start, isAtStart ? end : undefined));
      if (!isAtStart) break;
      pieces.push(EVENT_END);
      index += 1;
      start = end + 1;
    }
    const events = joined(pieces);
    yield events;
    freeAlone(events);
  }
}

const EVENT_END = "\n\n";
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** JSON has line breaks only between tokens, where a space has the same meaning. */
function onOneLine(piece: Piece): Piece {
  if (typeof piece === "string") return piece;
  if (piece instanceof Uint8Array) return asOneLine(piece);
  return { ...piece, slices: () => oneLineSlices(piece) };
}

async function* oneLineSlices(payload: OpenedPayload): AsyncGenerator<Uint8Array> {
  for await (const slice of payload.slices()) yield asOneLine(slice);
}

function asOneLine(piece: Uint8Array): Uint8Array {
  if (!piece.includes(LINE_FEED) && !piece.includes(CARRIAGE_RETURN)) return piece;
  const line = Buffer.from(piece);
  for (const [at, byte] of line.entries()) {
    if (byte === LINE_FEED || byte === CARRIAGE_RETURN) line[at] = SPACE;
  }
  return line;
}
