/** How a batch of chunks becomes a row. */
import type { ChunkBatch } from "../../../runtime/protocol/chunk-batch.ts";
import type { StagedBatch } from "../payload.ts";
import { rowChecksum } from "./checksum.ts";
import { type StoredBody, storedBody } from "./payload-columns.ts";

/** A batch as its row has it: the lines may still have to be read. */
export interface StoredBatch extends Omit<ChunkBatch, "lines">, StoredBody {
  /** Where in a file they begin. */
  readonly offset: number;
}

/** What is to be put into a row. */
export function storedBatch({ firstIndex, count, lines }: StagedBatch): StoredBatch {
  const offset = lines.kind === "file" ? lines.offset : 0;
  return { ...storedBody(lines), firstIndex, count, offset };
}

/** The checksum of a row, which has that of the bytes in it. */
export function chunkChecksum(seq: number, batch: StoredBatch): number {
  const { firstIndex, count, sizeBytes, body, offset, checksum } = batch;
  const name = typeof body === "string" ? body : null;
  return rowChecksum([seq, firstIndex, count, sizeBytes, name, offset, checksum]);
}
