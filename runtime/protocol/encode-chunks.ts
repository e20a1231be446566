/** Encodes a worker's message without copying the chunks in it more than once: they are most of what a stream costs. */
import { Buffer } from "node:buffer";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Chunks, WorkerMessage } from "./generated/worker.ts";
import { asBuffer } from "./wire-fields.ts";

const CHUNKS_FIELD = 5;
const LINES_FIELD = 5;

/** The same bytes, but for the order of the fields, as `WorkerMessage.encode`, which would copy each chunk three times. */
export function encodeWorkerMessage(message: WorkerMessage): Buffer {
  if (message.chunks.length === 0) return asBuffer(WorkerMessage.encode(message).finish());
  const parts: Uint8Array[] = [WorkerMessage.encode({ ...message, chunks: [] }).finish()];
  for (const { lines = new Uint8Array(), ...about } of message.chunks) {
    const start = Chunks.encode({ ...about, lines: undefined })
      .uint32((LINES_FIELD << 3) | WireType.LengthDelimited)
      .uint32(lines.byteLength)
      .finish();
    const prefix = new BinaryWriter()
      .uint32((CHUNKS_FIELD << 3) | WireType.LengthDelimited)
      .uint32(start.byteLength + lines.byteLength);
    parts.push(prefix.finish(), start, lines);
  }
  return Buffer.concat(parts);
}
