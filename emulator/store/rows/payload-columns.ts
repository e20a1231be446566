/** How a payload becomes a row: which place it has, and what its row says of its bytes. */
import type { Payload, PayloadSlot } from "../payload.ts";
import { contentChecksum, rowChecksum } from "./checksum.ts";

/** Stored: never change one. At most four, for each job has four places. */
const SLOT_NUMBERS: Readonly<Record<PayloadSlot, number>> = { input: 0, output: 1, s3Config: 2 };
export const SLOTS = ["input", "output", "s3Config"] as const;
export const PLACES_PER_JOB = 4;

/** Whose place it is among those of a job. */
export function slotAt(place: number): PayloadSlot {
  const number = place % PLACES_PER_JOB;
  return SLOTS.find((slot) => SLOT_NUMBERS[slot] === number) ?? "input";
}

export function placeOf(seq: number, slot: PayloadSlot): number {
  return seq * PLACES_PER_JOB + SLOT_NUMBERS[slot];
}

/** The checksum of a row, which has that of the bytes in it. */
export function payloadChecksum(place: number, { body, sizeBytes, checksum }: StoredBody): number {
  return rowChecksum([place, typeof body === "string" ? body : null, sizeBytes, checksum]);
}

/** A payload as its row has it. */
export interface StoredBody {
  /** The bytes, or the name of the file that holds them. */
  readonly body: Uint8Array | string;
  readonly sizeBytes: number;
  /** Of the bytes. */
  readonly checksum: number;
}

/** What is to be put into a row. */
export function storedBody(payload: Payload): StoredBody {
  if (payload.kind === "file") {
    const { name: body, sizeBytes, checksum } = payload;
    return { body, sizeBytes, checksum };
  }
  const { bytes } = payload;
  return { body: bytes, sizeBytes: bytes.byteLength, checksum: contentChecksum(bytes) };
}
