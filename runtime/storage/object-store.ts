/** The port to where objects are kept: a bucket of an S3 service, a directory, or the memory of a test. */
import type { Readable } from "node:stream";

/** A body that is in memory. */
export interface BytesBody {
  readonly kind: "bytes";
  readonly bytes: Uint8Array;
}

/** A body that arrives in pieces, as bytes or text. */
export interface StreamBody {
  readonly kind: "stream";
  readonly stream: Readable;
  /** Absent when it is not known before the end. */
  readonly sizeBytes?: number;
}

export type Body = BytesBody | StreamBody;

export interface PutTerms {
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly partSizeBytes: number | undefined;
  /** Parts that are on their way at a time. */
  readonly concurrency: number;
  /** Told how many bytes of the body have arrived in all. */
  readonly sent: (sentBytes: number) => void;
  readonly signal: AbortSignal;
}

export interface StoredObject {
  readonly sizeBytes: number;
  /** Without quotes. */
  readonly etag: string;
}

/** A file on its way in. */
export interface Incoming {
  readonly stream: Readable;
  /** Absent when the server does not say; so is the type. */
  readonly sizeBytes?: number;
  readonly contentType?: string;
}

/** A part of an object. */
export interface ByteRange {
  readonly offset: number;
  /** At least 1. */
  readonly sizeBytes: number;
}

export interface FetchTerms {
  /** Default: all of it. What lies beyond the end of the object is left out; a range that begins there is refused with 416. */
  readonly range?: ByteRange;
  /** Longest time without a byte, ms. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ObjectStore {
  readonly bucket: string;
  /**
   * Stores an object whole or not at all. Rejects with the signal's reason when that aborts, with the stream's error
   * when that fails.
   *
   * @throws StorageError
   */
  put(key: string, body: Body, terms: PutTerms): Promise<StoredObject>;
  /** An address that opens the object without credentials. */
  url(key: string, expiresInMs: number): Promise<string>;
  /** @throws StorageError */
  get(key: string, terms: FetchTerms): Promise<Incoming>;
}
