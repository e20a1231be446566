/**
 * Encodes messages. A worker's message is a list of parts, which shares the memory of large chunks. A message of the service copies
 * large bytes once; the generated code copies them three times. The results differ only in the order of fields.
 */
import { Buffer } from "node:buffer";
import {
  Chunks,
  InputAhead,
  Job,
  Piece,
  ServiceMessage,
  WorkerMessage,
} from "../generated/worker.ts";
import { asBuffer } from "./wire-fields.ts";

/** The numbers of the fields, from `worker.proto`. */
const FIELD = {
  WorkerMessage: { chunks: 5, piece: 12 },
  Chunks: { lines: 5 },
  ServiceMessage: { jobs: 2, piece: 9, inputAhead: 11 },
  Job: { input: 4 },
  Piece: { data: 2 },
  InputAhead: { input: 2 },
} as const;

/** Minimum bytes of a part of its own. Copying a smaller one costs less than a further part. */
const LARGE_BYTES = 65_536;

type Writer = ReturnType<typeof WorkerMessage.encode>;

/** A nested message: its first bytes, and its last field. */
interface Inner {
  readonly start: Writer;
  readonly field: number;
  readonly bytes: Uint8Array;
}

export function encodeWorkerMessage(message: WorkerMessage): readonly Buffer[] {
  const { piece } = message;
  if (piece !== undefined) {
    const rest = WorkerMessage.encode({ ...message, piece: undefined });
    return gathered(partsOf(rest, FIELD.WorkerMessage.piece, [innerOf(piece)]));
  }
  const chunks = message.chunks.map(({ lines = new Uint8Array(), ...about }): Inner => {
    return {
      start: Chunks.encode({ ...about, lines: undefined }),
      field: FIELD.Chunks.lines,
      bytes: lines,
    };
  });
  const rest = WorkerMessage.encode({ ...message, chunks: [] });
  return gathered(partsOf(rest, FIELD.WorkerMessage.chunks, chunks));
}

export function encodeServiceMessage(message: ServiceMessage): Buffer {
  const { piece, inputAhead } = message;
  if (piece !== undefined) {
    const rest = ServiceMessage.encode({ ...message, piece: undefined });
    return encodeWith(rest, FIELD.ServiceMessage.piece, [innerOf(piece)]);
  }
  if (inputAhead !== undefined) {
    const { jobId, input: bytes = new Uint8Array() } = inputAhead;
    const start = InputAhead.encode({ jobId, input: undefined });
    const rest = ServiceMessage.encode({ ...message, inputAhead: undefined });
    const inner = { start, field: FIELD.InputAhead.input, bytes };
    return encodeWith(rest, FIELD.ServiceMessage.inputAhead, [inner]);
  }
  const hasLarge = message.jobs.some(({ input }) => (input?.byteLength ?? 0) >= LARGE_BYTES);
  if (!hasLarge) return asBuffer(ServiceMessage.encode(message).finish());
  const jobs = message.jobs.map(({ input = new Uint8Array(), ...about }): Inner => {
    return {
      start: Job.encode({ ...about, input: undefined }),
      field: FIELD.Job.input,
      bytes: input,
    };
  });
  return encodeWith(
    ServiceMessage.encode({ ...message, jobs: [] }),
    FIELD.ServiceMessage.jobs,
    jobs,
  );
}

function innerOf({ left, data = new Uint8Array() }: Piece): Inner {
  const start = Piece.encode({ left, data: undefined });
  return { start, field: FIELD.Piece.data, bytes: data };
}

function encodeWith(outer: Writer, field: number, messages: readonly Inner[]): Buffer {
  return Buffer.concat(partsOf(outer, field, messages));
}

/** The message `outer`, followed by its repeated `field`. */
function partsOf(outer: Writer, field: number, messages: readonly Inner[]): readonly Uint8Array[] {
  if (messages.length === 0) return [outer.finish()];
  return messages.flatMap(({ start, bytes, field: last }) => {
    const head = start.uint32(tagOf(last)).uint32(bytes.byteLength).finish();
    outer.uint32(tagOf(field)).uint32(head.byteLength + bytes.byteLength);
    // `finish` empties the writer.
    return [outer.finish(), head, bytes];
  });
}

/** Joins small parts with their neighbours. */
function gathered(parts: readonly Uint8Array[]): readonly Buffer[] {
  if (parts.length === 1) return parts.map(asBuffer);
  const joined: Buffer[] = [];
  let small: Uint8Array[] = [];
  const join = () => {
    if (small.length > 0) joined.push(Buffer.concat(small));
    small = [];
  };
  for (const part of parts) {
    if (part.byteLength < LARGE_BYTES) {
      small.push(part);
      continue;
    }
    join();
    joined.push(asBuffer(part));
  }
  join();
  return joined;
}

/** The tag of a field with the wire type of values with a length. */
function tagOf(field: number): number {
  return (field << 3) | 2;
}
