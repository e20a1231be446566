/** Payloads are the bytes of inputs, outputs and streams, before and after they are stored. */
import type { ChunkBatch, ChunkWindow } from "../../runtime/protocol/chunk-batch.ts";
import type { OpenedPayload } from "../core/jobs/opened-payload.ts";

/** Bytes to be stored. Large payloads are already durable in a file; see `Store.stage`. */
export type Payload =
  | { readonly kind: "inline"; readonly bytes: Uint8Array }
  | {
      readonly kind: "file";
      readonly name: string;
      /** Offset in the file. Several chunks share one file. */
      readonly offset: number;
      readonly sizeBytes: number;
      /** CRC-32 of the bytes. */
      readonly checksum: number;
    };

/** Minimum total size of payloads in a file. From this size on a file costs less than writing the bytes twice in the database. */
export const FILE_MIN_BYTES = 256_000;

/** The payloads of a job besides its chunks. `output` also holds the progress value while the job runs. */
export type PayloadSlot = "input" | "output" | "s3Config";

/** A batch of chunks with lines that are ready to be stored. */
export interface StagedBatch extends Omit<ChunkBatch, "lines"> {
  readonly lines: Payload;
}

/**
 * A stored payload of known size. Its bytes are read on demand. Both read methods return undefined if the payload is no longer
 * stored.
 */
export interface ReadablePayload {
  readonly sizeBytes: number;
  /** Reads the whole payload. The bytes must not be changed. @throws PayloadDamagedError; StoreUnusableError when the disk fails */
  bytes(): Promise<Uint8Array | undefined>;
  /**
   * Compares the payload with its checksum, and opens it for reading in slices. It stays readable after its job is deleted.
   *
   * @throws PayloadDamagedError; StoreUnusableError when the disk fails. The slices also throw StoreUnusableError.
   */
  open(): Promise<OpenedPayload | undefined>;
}

/** A batch of stored chunks. */
export interface ReadableBatch extends Omit<ChunkBatch, "lines"> {
  /** The bytes, or the payload in a file. */
  readonly lines: Uint8Array | ReadablePayload;
}

/** Bounds of one read of batches. */
export interface BatchWindow extends ChunkWindow {
  /** Maximum number of bytes in rows. Reading stops with the batch that reaches it. Default: `maxBytes`. */
  readonly maxInHand?: number;
}

/** A payload of a job or delivery. */
export interface PayloadPlace {
  readonly seq: number;
  readonly slot: PayloadSlot | "chunks";
}

/** A payload was deleted or replaced after it was found and before it was read. The caller must ask again. */
export class PayloadGoneError extends Error {
  override readonly name = "PayloadGoneError";
}

/** The bytes of one payload are missing or damaged. Everything else is intact. */
export class PayloadDamagedError extends Error {
  override readonly name = "PayloadDamagedError";
  readonly place: PayloadPlace;
  /** Checksum of the stored bytes. Undefined if nothing is stored. */
  readonly checksum: number | undefined;

  /** @param finding what is wrong with the payload */
  constructor(
    place: PayloadPlace,
    finding: string,
    { checksum, ...options }: ErrorOptions & { readonly checksum?: number } = {},
  ) {
    super(`the ${WORDS[place.slot]} ${finding}`, options);
    this.place = place;
    this.checksum = checksum;
  }
}

export interface PayloadDamage {
  readonly damage: PayloadDamagedError;
  /** Undefined for a payload of a webhook delivery. */
  readonly jobId: string | undefined;
}

const WORDS: Readonly<Record<PayloadPlace["slot"], string>> = {
  input: "input",
  output: "output",
  s3Config: "s3Config",
  chunks: "stream",
};
