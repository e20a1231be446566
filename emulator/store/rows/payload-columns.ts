/** Converts payloads and batches of chunks to rows. */
import type { ChunkBatch } from "../../../runtime/protocol/chunk-batch.ts";
import type { Payload, PayloadSlot, StagedBatch } from "../payload.ts";
import { contentChecksum } from "./content-checksum.ts";

/** These numbers are stored: never change one. Each job has four places. */
const SLOT_NUMBERS: Readonly<Record<PayloadSlot, number>> = { input: 0, output: 1, s3Config: 2 };
export const SLOTS = ["input", "output", "s3Config"] as const;
export const PLACES_PER_JOB = 4;

export function slotAt(place: number): PayloadSlot {
  const number = place % PLACES_PER_JOB;
  return SLOTS.find((slot) => SLOT_NUMBERS[slot] === number) ?? "input";
}

export function placeOf(seq: number, slot: PayloadSlot): number {
  return seq * PLACES_PER_JOB + SLOT_NUMBERS[slot];
}

/** A payload as it is in its row. */
export interface StoredBody {
  /** The bytes, or the name of the file with them. */
  readonly body: Uint8Array | string;
  readonly sizeBytes: number;
  readonly checksum: number;
}

/** The values of a row with the payload. */
export function storedBody(payload: Payload): StoredBody {
  if (payload.kind === "file") {
    const { name: body, sizeBytes, checksum } = payload;
    return { body, sizeBytes, checksum };
  }
  const { bytes } = payload;
  return { body: bytes, sizeBytes: bytes.byteLength, checksum: contentChecksum(bytes) };
}

/** A batch as it is in its row. The lines may still have to be read. */
export interface StoredBatch extends Omit<ChunkBatch, "lines">, StoredBody {
  /** Offset of the lines in a file. */
  readonly offset: number;
}

/** The values of a row with the batch. */
export function storedBatch({ firstIndex, count, lines }: StagedBatch): StoredBatch {
  const offset = lines.kind === "file" ? lines.offset : 0;
  return { ...storedBody(lines), firstIndex, count, offset };
}

/** Returns the row, without the body if the body is damaged. */
export function comparedBody<T extends StoredBody>(stored: T) {
  const { body, sizeBytes, checksum } = stored;
  if (typeof body === "string") return stored;
  const isWhole = body.byteLength === sizeBytes && contentChecksum(body) === checksum;
  return isWhole ? stored : { ...stored, body: undefined };
}
