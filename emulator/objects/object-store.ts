/** Port: where objects live. Buckets hold objects by key; large objects come in parts. */
import type { Readable } from "node:stream";

/** The region the store says it is in. Signatures of any region are accepted: clients differ in what they assume. */
export const REGION = "us-east-1";

/** The bytes of an object on their way in. An error it throws is thrown on, and nothing is kept. */
export type Content = AsyncIterable<Uint8Array>;

/** What a client says about an object beside its content, kept as it was sent. */
export interface Attributes {
  /** Headers that a reader gets back, by lower-case name: `content-type`, `cache-control` and the like. */
  readonly headers: Readonly<Record<string, string>>;
  /** `x-amz-meta-…`, without that prefix, in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A checksum that was compared with the content. */
export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Base64; of a composite one, with `-` and the count of parts behind it. */
  readonly value: string;
}

export const CHECKSUM_ALGORITHMS = ["crc32", "crc32c", "crc64nvme", "sha1", "sha256"] as const;
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number];

export interface ObjectInfo extends Attributes {
  readonly key: string;
  readonly sizeBytes: number;
  /** Without quotes: the MD5 of the content in hex, or something with a `-` in it that is none. */
  readonly etag: string;
  /** Ms since the epoch. */
  readonly modifiedAt: number;
  readonly checksum?: Checksum;
  /** The multipart upload that made it. */
  readonly uploadId?: string;
}

/** Bytes `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An object held open: what is read is what it was when it was opened, whatever happens to the key meanwhile. */
export interface OpenObject extends AsyncDisposable {
  readonly info: ObjectInfo;
  /** To be called once. The stream must be read to its end or destroyed before the object is disposed of. */
  read(range?: ByteRange): Readable;
}

/** What must be so for a write to happen, looked at in the moment it does. */
export interface WriteCondition {
  /** The ETag the object must have. */
  readonly ifMatch?: string;
  /** True if there must be no object yet. */
  readonly ifAbsent?: boolean;
}

export interface PutOptions extends Attributes, WriteCondition {
  /** Asked for once all content has come. */
  readonly checksum?: () => Checksum | undefined;
}

export interface ListQuery {
  readonly prefix?: string;
  /** Keys that have it behind the prefix are listed as one common prefix that ends with it. */
  readonly delimiter?: string;
  /** Only what comes after it, in byte order of UTF-8: a key, or a common prefix an earlier page ended with. */
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
  /** The checksum its parts are to have. */
  readonly checksum?: UploadChecksum;
}

export interface UploadChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Whether the object's checksum is made of those of its parts, or is that of the whole content. */
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
  /** The parts the object is made of, in ascending order of number. */
  readonly numbers: readonly number[];
  readonly checksum?: Checksum;
}

/** Multipart uploads of one bucket. A key may have several at a time. */
export interface Uploads {
  create(key: string, options: Omit<Upload, "id" | "key" | "initiatedAt">): Promise<Upload>;
  /** @throws S3Error NoSuchUpload, also for another key's upload */
  find(key: string, id: string): Promise<Upload>;
  /** All that are open, by key and then by age. */
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
  /** The content of parts, one after the other. */
  read(upload: Upload, numbers: readonly number[]): Content;
  /** Drops the upload and its parts. @throws S3Error NoSuchUpload */
  abort(upload: Upload): Promise<void>;
  /** Makes the object and drops the upload, in one step. @throws S3Error NoSuchUpload, InvalidPart, PreconditionFailed */
  complete(upload: Upload, options: CompleteOptions): Promise<ObjectInfo>;
}

export interface BucketInfo {
  readonly name: string;
  /** Ms since the epoch. */
  readonly createdAt: number;
}

export interface Bucket extends BucketInfo {
  readonly uploads: Uploads;
  /** @throws S3Error NoSuchKey */
  head(key: string): Promise<ObjectInfo>;
  /** @throws S3Error NoSuchKey */
  open(key: string): Promise<OpenObject>;
  /**
   * Makes or replaces an object; readers see the old one until the new one is whole and durable.
   *
   * @throws S3Error PreconditionFailed, InsufficientStorage, InvalidObjectName; whatever `content` throws
   */
  put(key: string, content: Content, options: PutOptions): Promise<ObjectInfo>;
  /** Does nothing where there is no object. */
  delete(key: string): Promise<void>;
  list(query: ListQuery): Promise<ListPage<ObjectInfo>>;
}

export interface ObjectStore {
  /** By name. */
  buckets(): readonly Bucket[];
  /** @throws S3Error NoSuchBucket */
  bucket(name: string): Bucket;
  /** @throws S3Error BucketAlreadyOwnedByYou, InsufficientStorage */
  createBucket(name: string): Bucket;
  /** Drops an empty bucket and its open uploads. @throws S3Error NoSuchBucket, BucketNotEmpty */
  deleteBucket(name: string): Promise<void>;
}
