/** The object store on disk: an index in SQLite, files for the content, and volumes that are directories of their own. */
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
  /** Made, for this user only, if it does not exist. */
  readonly directory: string;
  /** Wall time, ms since the epoch. */
  readonly now: () => number;
}

export class DiskObjectStore implements ObjectStore {
  /** Resolves when what earlier runs left unfinished has been looked for; the store can be used before. Never rejects. */
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
    // What cannot be looked at now can be at the next start.
    this.swept = blobs.sweep(isReferred, this.#closing.signal).catch(() => undefined);
  }

  /** Ends uploads that are not completed within 24 h, by that clock. Without it they stay. */
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
   * Makes a directory, which must exist, the bucket `volumeId`. To be called again at each start.
   *
   * @throws Error when the directory cannot be used; S3Error BucketAlreadyOwnedByYou when another bucket has the name
   */
  async volumeBucket(volumeId: string, directory: string): Promise<Bucket> {
    if (this.#buckets.has(volumeId)) this.createBucket(volumeId);
    const context = { records: this.#volumeRecords, uploads: this.#context.uploads };
    const bucket = await VolumeBucket.open(context, volumeId, directory);
    this.#volumes.set(volumeId, bucket);
    return bucket;
  }

  /** The directory is no bucket any more; its files stay, its open uploads do not. Does nothing if it was none. */
  dropVolumeBucket(volumeId: string): void {
    this.#volumes.get(volumeId)?.uploads.endAll();
    if (!this.#volumes.delete(volumeId)) return;
    this.#db.transact(() => this.#volumeRecords.forgetVolume(volumeId));
  }

  /** Waits for work that goes on and releases everything. Idempotent. */
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
