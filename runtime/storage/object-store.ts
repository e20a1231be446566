/** Port: the storage of objects. Adapters: a bucket of an S3 service, a directory, and the memory of a test. */
import type { Readable } from "node:stream";

export interface BytesBody {
  readonly kind: "bytes";
  readonly bytes: Uint8Array;
}

/** A body that arrives in pieces, as bytes or text. */
export interface StreamBody {
  readonly kind: "stream";
  readonly stream: Readable;
  /** Absent if it is not known before the end. */
  readonly sizeBytes?: number;
}

export type Body = BytesBody | StreamBody;

/** Headers of an object for its readers. */
export interface ObjectHeaders {
  readonly contentType: string;
  readonly contentDisposition?: string | undefined;
  readonly cacheControl?: string | undefined;
}

export interface PutTerms extends ObjectHeaders {
  readonly metadata: Readonly<Record<string, string>>;
  readonly partSizeBytes: number | undefined;
  /** Maximum number of parts that are sent at a time. */
  readonly concurrency: number;
  /** Called with the total number of bytes of the body that have arrived. */
  readonly sent: (sentBytes: number) => void;
  readonly signal: AbortSignal;
}

export interface StoredObject {
  readonly sizeBytes: number;
  /** Without quotes. */
  readonly etag: string;
}

export interface Incoming {
  readonly stream: Readable;
  /** Absent if the server does not send it, like the type. */
  readonly sizeBytes?: number;
  readonly contentType?: string;
}

export interface ByteRange {
  readonly offset: number;
  /** At least 1. */
  readonly sizeBytes: number;
}

export interface FetchTerms {
  /** Default: the whole object. Bytes beyond its end are left out; a range that begins beyond it is refused with 416. */
  readonly range?: ByteRange;
  /** Timeout without a byte, ms. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ObjectStore {
  readonly bucket: string;
  /**
   * Stores an object completely or not at all. Rejects with the signal's reason if it aborts, and with the stream's error if that fails.
   *
   * @throws StorageError
   */
  put(key: string, body: Body, terms: PutTerms): Promise<StoredObject>;
  /** An address that opens the object without credentials. */
  url(key: string, expiresInMs: number): Promise<string>;
  /** @throws StorageError */
  get(key: string, terms: FetchTerms): Promise<Incoming>;
}
