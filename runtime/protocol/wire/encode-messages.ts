/**
 * Encodes messages. A worker's message is a list of parts, which shares the memory of large chunks. A message of the service copies
 * large bytes once; the codec copies them three times. The results differ only in the order of fields.
 */
import { Buffer } from "node:buffer";
import { written } from "./codec.ts";
import { Chunks, InputAhead, Job, Piece, ServiceMessage, WorkerMessage } from "./messages.ts";
import { asBuffer } from "./wire-fields.ts";

/** Minimum bytes of a part of its own. Copying a smaller one costs less than a further part. */
const LARGE_BYTES = 65_536;

/** A nested message: its first fields, and its last one. */
interface Inner {
  readonly start: Uint8Array;
  readonly field: number;
  readonly bytes: Uint8Array;
}

export function encodeWorkerMessage(message: WorkerMessage): readonly Buffer[] {
  const { piece } = message;
  const { fields } = WorkerMessage;
  if (piece !== undefined) {
    const rest = WorkerMessage.encode({ ...message, piece: undefined });
    return gathered(partsOf(rest, fields.piece, [innerOf(piece)]));
  }
  const chunks = message.chunks.map(({ lines: bytes = new Uint8Array(), ...about }): Inner => {
    const start = Chunks.encode(about);
    return { start, field: Chunks.fields.lines[0], bytes };
  });
  const rest = WorkerMessage.encode({ ...message, chunks: [] });
  return gathered(partsOf(rest, fields.chunks, chunks));
}

export function encodeServiceMessage(message: ServiceMessage): Buffer {
  const { piece, inputAhead } = message;
  const { fields } = ServiceMessage;
  if (piece !== undefined) {
    const rest = ServiceMessage.encode({ ...message, piece: undefined });
    return Buffer.concat(partsOf(rest, fields.piece, [innerOf(piece)]));
  }
  if (inputAhead !== undefined) {
    const { jobId, input: bytes = new Uint8Array() } = inputAhead;
    const start = InputAhead.encode({ jobId });
    const rest = ServiceMessage.encode({ ...message, inputAhead: undefined });
    const inner = { start, field: InputAhead.fields.input[0], bytes };
    return Buffer.concat(partsOf(rest, fields.inputAhead, [inner]));
  }
  const hasLarge = message.jobs.some(({ input }) => (input?.byteLength ?? 0) >= LARGE_BYTES);
  if (!hasLarge) return asBuffer(ServiceMessage.encode(message));
  const jobs = message.jobs.map(({ input: bytes = new Uint8Array(), ...about }): Inner => {
    const start = Job.encode(about);
    return { start, field: Job.fields.input[0], bytes };
  });
  return Buffer.concat(partsOf(ServiceMessage.encode({ ...message, jobs: [] }), fields.jobs, jobs));
}

function innerOf({ left, data: bytes = new Uint8Array() }: Piece): Inner {
  const start = Piece.encode({ left });
  return { start, field: Piece.fields.data[0], bytes };
}

/** The message `outer`, followed by its repeated `field`. */
function partsOf(
  outer: Uint8Array,
  [field]: readonly [number, unknown],
  messages: readonly Inner[],
): readonly Uint8Array[] {
  const parts = messages.flatMap(({ start, bytes, field: last }) => {
    const head = lengthOf(last, bytes.byteLength);
    const length = start.byteLength + head.byteLength + bytes.byteLength;
    return [lengthOf(field, length), start, head, bytes];
  });
  return [outer, ...parts];
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

/** The beginning of a field that has a length. */
function lengthOf(field: number, length: number): Uint8Array {
  return written((to) => to.uint32((field << 3) | 2).uint32(length));
}
