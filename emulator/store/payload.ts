/** Payloads: the bytes of jobs, their outputs and their streams, on their way into the store and as they lie there. */
import type { ChunkBatch, ChunkWindow } from "../../runtime/protocol/chunk-batch.ts";
import type { OpenedPayload } from "../core/jobs/opened-payload.ts";

/** Bytes to be stored. Large ones lie in a file of their own, already durable; see `Store.stage`. */
export type Payload =
  | { readonly kind: "inline"; readonly bytes: Uint8Array }
  | {
      readonly kind: "file";
      readonly name: string;
      /** Where in the file it begins; several chunks share one. */
      readonly offset: number;
      readonly sizeBytes: number;
      /** crc32 of its bytes. */
      readonly checksum: number;
    };

/** The payloads of a job besides its chunks. `output` also holds the progress value while the job runs. */
export type PayloadSlot = "input" | "output" | "s3Config";

/** A batch of chunks whose lines are ready to be stored. */
export interface StagedBatch extends Omit<ChunkBatch, "lines"> {
  readonly lines: Payload;
}

/**
 * A payload as it lay in the store when it was asked for: its size is known, its bytes are read when they are wanted. Both
 * ways to read it answer undefined if it is not stored any more by then.
 */
export interface ReadablePayload {
  readonly sizeBytes: number;
  /** All of it. The bytes must not be changed. @throws PayloadDamagedError; StoreUnusableError when the disk fails */
  bytes(): Promise<Uint8Array | undefined>;
  /**
   * Opens it to be read slice by slice, also after its job is deleted; once all of it was found to be what was stored.
   *
   * @throws PayloadDamagedError; StoreUnusableError when the disk fails, and so do its slices
   */
  open(): Promise<OpenedPayload | undefined>;
}

/** A batch of stored chunks. */
export interface ReadableBatch extends Omit<ChunkBatch, "lines"> {
  /** The bytes, unless they lie in a file. */
  readonly lines: Uint8Array | ReadablePayload;
}

/** Bounds of what a reader of batches takes at a time. */
export interface BatchWindow extends ChunkWindow {
  /** Maximum of bytes that lie in no file: batches after the one that reaches it are not read. Default: `maxBytes`. */
  readonly maxInHand?: number;
}

/** Which payload of which job or delivery. */
export interface PayloadPlace {
  readonly seq: number;
  readonly slot: PayloadSlot | "chunks";
}

/** The bytes of one payload are missing, or not those that were stored. All else is as it was. */
export class PayloadDamagedError extends Error {
  override readonly name = "PayloadDamagedError";
  readonly place: PayloadPlace;
  /** That of the bytes that were stored; undefined if nothing is. */
  readonly checksum: number | undefined;

  /** `finding` says what is wrong with it. */
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
  /** Undefined if it belongs to a webhook delivery. */
  readonly jobId: string | undefined;
}

const WORDS: Readonly<Record<PayloadPlace["slot"], string>> = {
  input: "input",
  output: "output",
  s3Config: "s3Config",
  chunks: "stream",
};
