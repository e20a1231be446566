/** A bucket whose objects are rows of the index, with their content in files. Any key is possible. */
import { Readable } from "node:stream";
import { checkCondition } from "../write-condition.ts";
import type {
  Bucket,
  BucketInfo,
  ByteRange,
  Content,
  ListPage,
  ListQuery,
  ObjectInfo,
  OpenObject,
  PutOptions,
  WriteCondition,
} from "../object-store.ts";
import { paginate } from "../paginate.ts";
import { noSuchBucket, noSuchKey } from "../s3-error.ts";
import type { Blob } from "./blob-files.ts";
import { DiskUploads, type Assemble, type UploadsContext } from "./disk-uploads.ts";
import type { ObjectTable, StoredObject } from "./index/object-table.ts";
import type { StoredPart } from "./index/upload-table.ts";

export interface BucketContext {
  readonly objects: ObjectTable;
  readonly uploads: UploadsContext;
}

export class EndpointBucket implements Bucket {
  readonly name: string;
  readonly createdAt: number;
  readonly uploads: DiskUploads;
  readonly #context: BucketContext;

  constructor(context: BucketContext, { name, createdAt }: BucketInfo) {
    this.name = name;
    this.createdAt = createdAt;
    this.#context = context;
    this.uploads = new DiskUploads(context.uploads, name, (...made) => this.#assemble(...made));
  }

  get isEmpty(): boolean {
    return this.#context.objects.firstFrom(this.name, Buffer.alloc(0)) === undefined;
  }

  async head(key: string): Promise<ObjectInfo> {
    return this.#stored(key).info;
  }

  async open(key: string): Promise<OpenObject> {
    const stored = this.#stored(key);
    const { blobs } = this.#context.uploads;
    const pieces = this.#context.objects.blobsOf(stored);
    // Pinned in the turn that read the row: no blob is removed in between.
    const unpin = blobs.pin(pieces);
    return {
      info: stored.info,
      read: (range?: ByteRange) => Readable.from(blobs.read(pieces, range), { objectMode: false }),
      [Symbol.asyncDispose]: async () => unpin(),
    };
  }

  async put(key: string, content: Content, options: PutOptions): Promise<ObjectInfo> {
    const { blobs, now } = this.#context.uploads;
    const blob = await blobs.stage(content);
    try {
      const { headers, metadata } = options;
      const checksum = options.checksum?.();
      const info: ObjectInfo = {
        key,
        sizeBytes: blob.sizeBytes,
        etag: blob.md5,
        modifiedAt: now(),
        headers,
        metadata,
        ...(checksum && { checksum }),
      };
      this.#replace(info, [blob], options);
      blobs.keep(blob);
      return info;
    } catch (error) {
      blobs.discard(blob);
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    const { objects, uploads } = this.#context;
    const stored = objects.find(this.name, key);
    if (!stored) return;
    const pieces = objects.blobsOf(stored);
    uploads.db.transact(() => objects.delete(stored));
    uploads.blobs.remove(namesOf(pieces));
  }

  async list(query: ListQuery): Promise<ListPage<ObjectInfo>> {
    const { objects } = this.#context;
    const next = async (atLeast: Buffer) => objects.firstFrom(this.name, atLeast);
    return paginate({ next }, query);
  }

  /** Makes or replaces an object. `meanwhile` runs in the same transaction. */
  #replace(
    info: ObjectInfo,
    pieces: readonly Blob[],
    condition: WriteCondition,
    meanwhile: () => void = () => undefined,
  ): void {
    const { objects, uploads } = this.#context;
    const former = uploads.db.transact(() => {
      meanwhile();
      if (!objects.hasBucket(this.name)) throw noSuchBucket(this.name);
      const there = objects.find(this.name, info.key);
      checkCondition(condition, info.key, there?.info);
      const freed = there ? objects.blobsOf(there) : [];
      if (there) objects.delete(there);
      objects.insert(this.name, info, pieces);
      return freed;
    });
    uploads.blobs.remove(namesOf(former));
  }

  readonly #assemble: Assemble = async (upload, parts, { etag, checksum, ...condition }) => {
    const { blobs, now } = this.#context.uploads;
    const pieces = parts.map(({ blob }) => blob);
    const info: ObjectInfo = {
      key: upload.key,
      sizeBytes: pieces.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      etag,
      modifiedAt: now(),
      headers: upload.headers,
      metadata: upload.metadata,
      uploadId: upload.id,
      ...(checksum && { checksum }),
    };
    let uploaded: readonly StoredPart[] = [];
    this.#replace(info, pieces, condition, () => {
      uploaded = this.uploads.take(upload);
    });
    const kept = new Set(namesOf(pieces));
    blobs.remove(namesOf(uploaded.map(({ blob }) => blob)).filter((name) => !kept.has(name)));
    return info;
  };

  #stored(key: string): StoredObject {
    const stored = this.#context.objects.find(this.name, key);
    if (!stored) throw noSuchKey(key);
    return stored;
  }
}

function namesOf(blobs: readonly Blob[]): readonly string[] {
  return blobs.map(({ name }) => name);
}
