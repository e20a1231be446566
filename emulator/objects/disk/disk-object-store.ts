/** The object store on disk: an index in SQLite, files with the content, and volumes, which are directories of their own. */
import path from "node:path";
import { makeDirectoryDurably } from "../../sqlite/durable-directory.ts";
import { fromFileSystem } from "../../sqlite/sqlite-error.ts";
import type { Bucket, ObjectStore } from "../object-store.ts";
import { noSuchBucket, S3Error } from "../s3-error.ts";
import { BlobFiles } from "./blob-files.ts";
import { type BucketContext, EndpointBucket } from "./endpoint-bucket.ts";
import { IndexDatabase } from "./index/index-database.ts";
import { ObjectTable } from "./index/object-table.ts";
import { UploadTable } from "./index/upload-table.ts";
import { type UploadClock, UploadExpiry } from "./upload-expiry.ts";
import { VolumeBucket } from "./volume/volume-bucket.ts";
import { VolumeTable } from "./index/volume-table.ts";

export interface DiskObjectStoreOptions {
  /** Made if it does not exist, for this user only. */
  readonly directory: string;
  /** Wall time, ms since the epoch. */
  readonly now: () => number;
}

export class DiskObjectStore implements ObjectStore {
  /** Resolves when leftovers of earlier runs were removed. The store can be used before. Never rejects. */
  readonly swept: Promise<void>;
  readonly #db: IndexDatabase;
  readonly #context: BucketContext;
  readonly #volumeRecords: VolumeTable;
  readonly #buckets = new Map<string, EndpointBucket>();
  readonly #volumes = new Map<string, VolumeBucket>();
  readonly #expiry: UploadExpiry;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  /** @throws StoreUnusableError, StoreFullError */
  constructor({ directory, now }: DiskObjectStoreOptions) {
    const blobs = contentIn(directory);
    this.#db = new IndexDatabase(directory);
    const objects = new ObjectTable(this.#db);
    const table = new UploadTable(this.#db);
    const uploads = { db: this.#db, table, blobs, now };
    this.#expiry = new UploadExpiry(uploads);
    this.#context = { objects, uploads: { ...uploads, expiry: this.#expiry } };
    this.#volumeRecords = new VolumeTable(this.#db);
    for (const info of objects.buckets()) {
      this.#buckets.set(info.name, new EndpointBucket(this.#context, info));
    }
    const isReferred = (name: string) => objects.refersTo(name) || table.refersTo(name);
    // The next start tries again.
    this.swept = blobs.sweep(isReferred, this.#closing.signal).catch(() => undefined);
  }

  /** Ends uploads that are not completed within 24 h of that clock. Without this call they stay. */
  expireUploads(clock: UploadClock): void {
    this.#expiry.follow(clock);
  }

  buckets(): readonly Bucket[] {
    const all = [...this.#buckets.values(), ...this.#volumes.values()];
    return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  bucket(name: string): Bucket {
    const bucket = this.#volumes.get(name) ?? this.#buckets.get(name);
    if (!bucket) throw noSuchBucket(name);
    return bucket;
  }

  createBucket(name: string): Bucket {
    if (this.#buckets.has(name) || this.#volumes.has(name)) {
      throw new S3Error("BucketAlreadyOwnedByYou", `there is a bucket "${name}" already`, {
        BucketName: name,
      });
    }
    const info = { name, createdAt: this.#context.uploads.now() };
    this.#db.transact(() => this.#context.objects.addBucket(info));
    const bucket = new EndpointBucket(this.#context, info);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  async deleteBucket(name: string): Promise<void> {
    if (this.#volumes.has(name)) {
      throw new S3Error("AccessDenied", "the bucket is a network volume; delete the volume", {
        BucketName: name,
      });
    }
    const bucket = this.#buckets.get(name);
    if (!bucket) throw noSuchBucket(name);
    if (!bucket.isEmpty) {
      throw new S3Error("BucketNotEmpty", "the bucket still has objects", { BucketName: name });
    }
    bucket.uploads.endAll();
    this.#db.transact(() => this.#context.objects.dropBucket(name));
    this.#buckets.delete(name);
  }

  /**
   * Makes an existing directory the bucket `volumeId`. Call it again at each start.
   *
   * @throws Error if the directory cannot be used; S3Error BucketAlreadyOwnedByYou if another bucket has the name
   */
  async volumeBucket(volumeId: string, directory: string): Promise<Bucket> {
    if (this.#buckets.has(volumeId)) this.createBucket(volumeId);
    const context = { records: this.#volumeRecords, uploads: this.#context.uploads };
    const bucket = await VolumeBucket.open(context, volumeId, directory);
    this.#volumes.set(volumeId, bucket);
    return bucket;
  }

  /** Makes a volume's directory an ordinary one again. Its files stay; its open uploads end. Ignores unknown volumes. */
  dropVolumeBucket(volumeId: string): void {
    this.#volumes.get(volumeId)?.uploads.endAll();
    if (!this.#volumes.delete(volumeId)) return;
    this.#db.transact(() => this.#volumeRecords.forgetVolume(volumeId));
  }

  /** Waits for running work, and releases everything. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#expiry.stop();
    await this.swept;
    await this.#context.uploads.blobs.settle();
    this.#db.close();
  }
}

/** @throws StoreUnusableError, StoreFullError */
function contentIn(directory: string): BlobFiles {
  try {
    makeDirectoryDurably(directory);
    return new BlobFiles(path.join(directory, "blobs"));
  } catch (error) {
    throw fromFileSystem(error, directory);
  }
}
