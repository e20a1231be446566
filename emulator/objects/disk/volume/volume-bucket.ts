/** A bucket that is a directory: every file in it is an object, also one that a worker wrote, and every object is a file. */
import { createHash, randomUUID } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { codeOf } from "../../../sqlite/sqlite-error.ts";
import type {
  Bucket,
  BucketInfo,
  ByteRange,
  Checksum,
  Content,
  ListPage,
  ListQuery,
  ObjectInfo,
  OpenObject,
  PutOptions,
  WriteCondition,
} from "../../object-store.ts";
import { paginate } from "../../paginate.ts";
import { noSuchKey, S3Error } from "../../s3-error.ts";
import { checkCondition } from "../../write-condition.ts";
import { NO_ATTRIBUTES, type ObjectAttributes } from "../index/stored-attributes.ts";
import { asStoreError } from "../disk-error.ts";
import { type Assemble, DiskUploads, type UploadsContext } from "../disk-uploads.ts";
import { SpelledOtherwiseError, VolumeDirectory } from "./volume-directory.ts";
import { pathOfKey, STAGING_NAME } from "./volume-path.ts";
import type { VolumeTable } from "../index/volume-table.ts";
import { VolumeWalk } from "./volume-walk.ts";
import { writeContent } from "../write-content.ts";

export interface VolumeContext {
  /** The attributes that clients gave the files. */
  readonly records: VolumeTable;
  readonly uploads: UploadsContext;
}

/** The record of a new file, and the condition of its write. */
interface NewFile extends WriteCondition {
  /** Default: the MD5 of the content. */
  readonly etag?: string;
  /** Called after the content has ended, because a checksum may follow it. */
  readonly attributes: () => ObjectAttributes;
}

/** Every user may read: workers in containers may be other users. */
const FILE_MODE = 0o644;

/** Errors of the file system if a directory is in the way of a file, or a file in the way of a directory. */
const SOMETHING_IN_THE_WAY: ReadonlySet<string | undefined> = new Set([
  "EISDIR",
  "ENOTDIR",
  "ENOTEMPTY",
  "EEXIST",
  "ELOOP",
]);

export class VolumeBucket implements Bucket {
  readonly name: string;
  readonly createdAt: number;
  readonly uploads: DiskUploads;
  readonly #context: VolumeContext;
  readonly #directory: VolumeDirectory;
  /** The last move of a new file into its place. Moves run one at a time: the condition of each holds until it is moved. */
  #lastPlacing: Promise<unknown> = Promise.resolve();

  private constructor(context: VolumeContext, info: BucketInfo, directory: VolumeDirectory) {
    this.name = info.name;
    this.createdAt = info.createdAt;
    this.#context = context;
    this.#directory = directory;
    this.uploads = new DiskUploads(context.uploads, info.name, this.#assemble);
  }

  /** Makes a directory a bucket, and removes unfinished uploads of earlier runs. @throws Error if it is not a directory */
  static async open(
    context: VolumeContext,
    name: string,
    directory: string,
  ): Promise<VolumeBucket> {
    const volume = await VolumeDirectory.at(directory);
    const createdAt = Math.floor((await stat(directory)).birthtimeMs);
    await volume.clear([STAGING_NAME]);
    return new VolumeBucket(context, { name, createdAt }, volume);
  }

  async head(key: string): Promise<ObjectInfo> {
    const info = await this.#find(key);
    if (!info) throw noSuchKey(key);
    return info;
  }

  async open(key: string): Promise<OpenObject> {
    const { names } = pathOfKey(key);
    const file = names && (await this.#directory.openFile(names));
    if (!file) throw noSuchKey(key);
    const { handle, stats } = file;
    return {
      info: this.#infoOf(key, stats),
      read: (range?: ByteRange) => {
        // A worker may append to the file meanwhile: the reader gets the announced size.
        const { start, end } = range ?? { start: 0, end: Number(stats.size) - 1 };
        if (start > end) return Readable.from([]);
        return handle.createReadStream({ start, end, autoClose: false });
      },
      [Symbol.asyncDispose]: () => handle.close(),
    };
  }

  async put(key: string, content: Content, options: PutOptions): Promise<ObjectInfo> {
    const { headers, metadata } = options;
    const attributes = () => ({ headers, metadata, ...withChecksum(options.checksum?.()) });
    return this.#write(key, content, { ...options, attributes });
  }

  async delete(key: string): Promise<void> {
    const { names } = pathOfKey(key);
    if (names === undefined) return;
    await this.#directory.remove(names);
    this.#context.records.forgetAll(this.name, key);
  }

  async list(query: ListQuery): Promise<ListPage<ObjectInfo>> {
    return paginate(new VolumeWalk(this.#directory, async (key) => this.#find(key)), query);
  }

  async #find(key: string): Promise<ObjectInfo | undefined> {
    const { names } = pathOfKey(key);
    const stats = names && (await this.#directory.statFile(names));
    return stats && this.#infoOf(key, stats);
  }

  #infoOf(key: string, stats: BigIntStats): ObjectInfo {
    const fingerprint = fingerprintOf(stats);
    const record = this.#context.records.find(this.name, key, fingerprint);
    return {
      key,
      sizeBytes: Number(stats.size),
      modifiedAt: Number(stats.mtimeMs),
      etag: record?.etag ?? etagOfFingerprint(fingerprint),
      ...(record?.attributes ?? NO_ATTRIBUTES),
    };
  }

  async #write(key: string, content: Content, file: NewFile): Promise<ObjectInfo> {
    const { names, problem } = pathOfKey(key);
    if (names === undefined) throw unusableKey(key, problem);
    const staged = [STAGING_NAME, randomUUID()] as const;
    try {
      const { md5 } = await this.#directory.writeIn([STAGING_NAME], staged[1], async (path) =>
        writeContent(path, content, FILE_MODE),
      );
      const placing = this.#lastPlacing.then(async () =>
        this.#place(key, names, staged, md5, file),
      );
      this.#lastPlacing = placing.catch(() => undefined);
      return await placing;
    } catch (error) {
      await this.#directory.remove(staged);
      throw asWriteError(key, error);
    }
  }

  async #place(
    key: string,
    names: readonly string[],
    staged: readonly string[],
    md5: string,
    file: NewFile,
  ): Promise<ObjectInfo> {
    const { records } = this.#context;
    checkCondition(file, key, await this.#find(key));
    const stats = await this.#directory.statFile(staged);
    if (!stats) throw new Error("an upload to a volume was removed before it was moved into place");
    const fingerprint = fingerprintOf(stats);
    // Recorded before the move: the file never appears without its record.
    records.put(this.name, key, fingerprint, {
      etag: file.etag ?? md5,
      attributes: file.attributes(),
    });
    try {
      await this.#directory.move(staged, names);
    } catch (error) {
      records.forget(this.name, key, fingerprint);
      throw error;
    }
    records.forgetOthers(this.name, key, fingerprint);
    return this.#infoOf(key, stats);
  }

  readonly #assemble: Assemble = async (upload, parts, { checksum, ...made }) => {
    const { headers, metadata, id: uploadId, key } = upload;
    const attributes = () => ({ headers, metadata, uploadId, ...withChecksum(checksum) });
    const numbers = parts.map(({ part }) => part.number);
    const info = await this.#write(key, this.uploads.read(upload, numbers), {
      ...made,
      attributes,
    });
    this.uploads.end(upload);
    return info;
  };
}

/** The error that a client gets for a failed write. */
function asWriteError(key: string, error: unknown): unknown {
  if (error instanceof SpelledOtherwiseError)
    return unusableKey(
      key,
      "a file exists with a name that differs only in case or Unicode form, and the file system takes both names for one",
    );
  if (codeOf(error) === "ENAMETOOLONG") return unusableKey(key, "the path is too long");
  if (!SOMETHING_IN_THE_WAY.has(codeOf(error))) return asStoreError(error);
  return unusableKey(
    key,
    "a directory is where the file would be, or a file or a link is where one of its directories would be",
  );
}

function withChecksum(checksum: Checksum | undefined): { readonly checksum?: Checksum } {
  return checksum ? { checksum } : {};
}

/** A text that differs between files, and changes with every write to a file. */
function fingerprintOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}`;
}

/** The ETag of a file that a worker wrote: reading all of it for its MD5 would cost too much. */
function etagOfFingerprint(fingerprint: string): string {
  return `${createHash("md5").update(fingerprint).digest("hex")}-0`;
}

function unusableKey(key: string, why: string): S3Error {
  return new S3Error(
    "InvalidObjectName",
    `the bucket is a network volume, and no file in it can have this key: ${why}`,
    { Key: key },
  );
}
