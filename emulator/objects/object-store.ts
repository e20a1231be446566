/** Port: stores objects. Buckets hold objects by key; large objects are uploaded in parts. */
import type { Readable } from "node:stream";

/** The region of the store. Signatures of any region are accepted, because clients assume different ones. */
export const REGION = "us-east-1";

/** The bytes of a new object. If they throw, the error is passed on and nothing is stored. */
export type Content = AsyncIterable<Uint8Array>;

/** Attributes of an object that a client sends with its content. They are stored as sent. */
export interface Attributes {
  /** Headers for readers by lower-case name, such as `content-type` and `cache-control`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `x-amz-meta-…` headers by the lower-case name behind that prefix. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A checksum that matches the content. */
export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Base64. A composite checksum has `-` and the number of parts at its end. */
  readonly value: string;
}

export const CHECKSUM_ALGORITHMS = ["crc32", "crc32c", "crc64nvme", "sha1", "sha256"] as const;
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number];

export interface ObjectInfo extends Attributes {
  readonly key: string;
  readonly sizeBytes: number;
  /** Without quotes: the MD5 of the content in hex, or another text, which has a `-`. */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  readonly checksum?: Checksum;
  /** Id of the multipart upload that made the object. */
  readonly uploadId?: string;
}

/** The bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An open object. Its content stays the same, whatever happens to the key meanwhile. */
export interface OpenObject extends AsyncDisposable {
  readonly info: ObjectInfo;
  /** Call it once. Read the stream to its end, or destroy it, before the object is disposed of. */
  read(range?: ByteRange): Readable;
}

/** The condition of a write, checked at the moment of the write. */
export interface WriteCondition {
  /** The ETag that the object must have. */
  readonly ifMatch?: string;
  /** True if there must be no object yet. */
  readonly ifAbsent?: boolean;
}

export interface PutOptions extends Attributes, WriteCondition {
  /** Called after the content has ended. */
  readonly checksum?: () => Checksum | undefined;
}

export interface ListQuery {
  readonly prefix?: string;
  /** Keys with this text after the prefix are listed as one common prefix, which ends with the text. */
  readonly delimiter?: string;
  /** A key, or the common prefix at the end of an earlier page: only later entries are listed, in byte order of UTF-8. */
  readonly after?: string;
  readonly maxEntries: number;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  readonly commonPrefixes: readonly string[];
  /** `after` of the next page; undefined at the end. */
  readonly next: string | undefined;
}

export interface Upload extends Attributes {
  readonly id: string;
  readonly key: string;
  readonly initiatedAt: number;
  /** The checksum that parts must have. */
  readonly checksum?: UploadChecksum;
}

export interface UploadChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Whether the object's checksum is that of its parts' checksums, or of the whole content. */
  readonly type: "COMPOSITE" | "FULL_OBJECT";
}

export interface Part {
  readonly number: number;
  readonly sizeBytes: number;
  readonly etag: string;
  readonly modifiedAt: number;
  readonly checksum?: Checksum;
}

export interface CompleteOptions extends WriteCondition {
  /** The numbers of the object's parts, in ascending order. */
  readonly numbers: readonly number[];
  readonly checksum?: Checksum;
}

/** Multipart uploads of one bucket. A key may have several at a time. */
export interface Uploads {
  create(key: string, options: Omit<Upload, "id" | "key" | "initiatedAt">): Promise<Upload>;
  /** @throws S3Error NoSuchUpload, also for another key's upload */
  find(key: string, id: string): Promise<Upload>;
  /** All open uploads, by key and then by age. */
  list(): Promise<readonly Upload[]>;
  /** Puts or replaces a part. @throws S3Error NoSuchUpload, InsufficientStorage */
  putPart(
    upload: Upload,
    number: number,
    content: Content,
    checksum?: () => Checksum | undefined,
  ): Promise<Part>;
  /** In ascending order of number. */
  parts(upload: Upload): Promise<readonly Part[]>;
  /** The content of several parts in order. */
  read(upload: Upload, numbers: readonly number[]): Content;
  /** Drops the upload and its parts. @throws S3Error NoSuchUpload */
  abort(upload: Upload): Promise<void>;
  /** Makes the object and drops the upload, in one step. @throws S3Error NoSuchUpload, InvalidPart, PreconditionFailed */
  complete(upload: Upload, options: CompleteOptions): Promise<ObjectInfo>;
}

export interface BucketInfo {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface Bucket extends BucketInfo {
  readonly uploads: Uploads;
  /** @throws S3Error NoSuchKey */
  head(key: string): Promise<ObjectInfo>;
  /** @throws S3Error NoSuchKey */
  open(key: string): Promise<OpenObject>;
  /**
   * Makes or replaces an object. Readers see the old one until the new one is complete and durable.
   *
   * @throws S3Error PreconditionFailed, InsufficientStorage, InvalidObjectName; whatever `content` throws
   */
  put(key: string, content: Content, options: PutOptions): Promise<ObjectInfo>;
  delete(key: string): Promise<void>;
  list(query: ListQuery): Promise<ListPage<ObjectInfo>>;
}

export interface ObjectStore {
  /** All buckets, by name. */
  buckets(): readonly Bucket[];
  /** @throws S3Error NoSuchBucket */
  bucket(name: string): Bucket;
  /** @throws S3Error BucketAlreadyOwnedByYou, InsufficientStorage */
  createBucket(name: string): Bucket;
  /** Drops an empty bucket and its open uploads. @throws S3Error NoSuchBucket, BucketNotEmpty */
  deleteBucket(name: string): Promise<void>;
}
