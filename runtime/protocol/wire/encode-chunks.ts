/** Encodes a worker's message without copying the chunks in it more than once: they are most of what a stream costs. */
import { Buffer } from "node:buffer";
import { Chunks, WorkerMessage } from "../generated/worker.ts";
import { asBuffer } from "./wire-fields.ts";

/** Field 5, of the wire type for what has a length, both of `WorkerMessage.chunks` and of `Chunks.lines`. */
const TAG = (5 << 3) | 2;

const nothing: Chunks = {
  jobId: undefined,
  leaseToken: undefined,
  firstIndex: undefined,
  count: undefined,
  lines: undefined,
};

/** The same bytes, but for the order of the fields, as `WorkerMessage.encode`, which would copy each chunk three times. */
export function encodeWorkerMessage(message: WorkerMessage): Buffer {
  if (message.chunks.length === 0) return asBuffer(WorkerMessage.encode(message).finish());
  const parts: Uint8Array[] = [WorkerMessage.encode({ ...message, chunks: [] }).finish()];
  for (const { lines = new Uint8Array(), ...about } of message.chunks) {
    const start = Chunks.encode({ ...about, lines: undefined })
      .uint32(TAG)
      .uint32(lines.byteLength)
      .finish();
    const size = start.byteLength + lines.byteLength;
    const prefix = Chunks.encode(nothing).uint32(TAG).uint32(size).finish();
    parts.push(prefix, start, lines);
  }
  return Buffer.concat(parts);
}
