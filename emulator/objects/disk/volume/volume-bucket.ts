/** A bucket that is a directory: the files in it are the objects, whoever wrote them, and objects are files to everyone. */
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
import { NO_ATTRIBUTES, type ObjectAttributes } from "../index/attributes.ts";
import { inStoreWords } from "../disk-error.ts";
import { type Assemble, DiskUploads, type UploadsContext } from "../disk-uploads.ts";
import { VolumeDirectory } from "./volume-directory.ts";
import { pathOfKey, STAGING_NAME } from "./volume-path.ts";
import type { VolumeTable } from "../index/volume-table.ts";
import { VolumeWalk } from "./volume-walk.ts";
import { writeContent } from "../write-content.ts";

export interface VolumeContext {
  readonly files: VolumeTable;
  readonly uploads: UploadsContext;
}

/** What a new file is to be known by. The ETag is that of its content unless there is another. */
interface NewFile extends WriteCondition {
  readonly etag?: string;
  /** Asked for once all content has come. */
  readonly attributes: () => ObjectAttributes;
}

/** Files are for the workers as well, which may be other users in their containers. */
const FILE_MODE = 0o644;

/** What the file system says to a file whose place is taken by a directory, or whose directory's place by a file. */
const PLACE_IS_TAKEN: ReadonlySet<string | undefined> = new Set([
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
  /** Files take their places one after the other, so that a condition still holds when it is acted on. */
  #placing: Promise<unknown> = Promise.resolve();

  private constructor(context: VolumeContext, info: BucketInfo, directory: VolumeDirectory) {
    this.name = info.name;
    this.createdAt = info.createdAt;
    this.#context = context;
    this.#directory = directory;
    this.uploads = new DiskUploads(context.uploads, info.name, this.#assemble);
  }

  /** Makes a directory a bucket and clears away what an earlier run left unfinished in it. @throws Error if there is none */
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
    const names = pathOfKey(key);
    const file = typeof names === "string" ? undefined : await this.#directory.openFile(names);
    if (!file) throw noSuchKey(key);
    const { handle, stats } = file;
    return {
      info: this.#infoOf(key, stats),
      read: (range?: ByteRange) => {
        // A worker may append to the file meanwhile; the reader was told the size it had.
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
    const names = pathOfKey(key);
    if (typeof names === "string") return;
    await this.#directory.remove(names);
    this.#context.files.forget(this.name, key);
  }

  async list(query: ListQuery): Promise<ListPage<ObjectInfo>> {
    return paginate(new VolumeWalk(this.#directory, async (key) => this.#find(key)), query);
  }

  async #find(key: string): Promise<ObjectInfo | undefined> {
    const names = pathOfKey(key);
    const stats = typeof names === "string" ? undefined : await this.#directory.statFile(names);
    return stats && this.#infoOf(key, stats);
  }

  #infoOf(key: string, stats: BigIntStats): ObjectInfo {
    const fingerprint = fingerprintOf(stats);
    const known = this.#context.files.find(this.name, key, fingerprint);
    return {
      key,
      sizeBytes: Number(stats.size),
      modifiedAt: Number(stats.mtimeMs),
      etag: known?.etag ?? etagOfUnread(fingerprint),
      ...(known?.attributes ?? NO_ATTRIBUTES),
    };
  }

  async #write(key: string, content: Content, file: NewFile): Promise<ObjectInfo> {
    const names = pathOfKey(key);
    if (typeof names === "string") throw unholdable(key, names);
    const staged = [STAGING_NAME, randomUUID()] as const;
    try {
      const { md5 } = await this.#directory.writeIn([STAGING_NAME], staged[1], async (path) =>
        writeContent(path, content, FILE_MODE),
      );
      const placing = this.#placing.then(async () => this.#place(key, names, staged, md5, file));
      this.#placing = placing.catch(() => undefined);
      return await placing;
    } catch (error) {
      await this.#directory.remove(staged);
      throw this.#inWords(key, error);
    }
  }

  async #place(
    key: string,
    names: readonly string[],
    staged: readonly string[],
    md5: string,
    file: NewFile,
  ): Promise<ObjectInfo> {
    const { files } = this.#context;
    checkCondition(file, key, await this.#find(key));
    const stats = await this.#directory.statFile(staged);
    if (!stats) throw new Error("an upload to a volume was removed before it was in its place");
    const fingerprint = fingerprintOf(stats);
    // Written first: when the file appears, what is to be known of it is known.
    files.put(this.name, key, fingerprint, {
      etag: file.etag ?? md5,
      attributes: file.attributes(),
    });
    try {
      await this.#directory.move(staged, names);
    } catch (error) {
      files.drop(this.name, key, fingerprint);
      throw error;
    }
    files.forget(this.name, key, fingerprint);
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

  #inWords(key: string, error: unknown): unknown {
    if (codeOf(error) === "ENAMETOOLONG") return unholdable(key, "the path is too long");
    if (!PLACE_IS_TAKEN.has(codeOf(error))) return inStoreWords(error);
    return unholdable(
      key,
      "a directory is in the place of the file, or a file or a link in the place of one of its directories",
    );
  }
}

function withChecksum(checksum: Checksum | undefined): { readonly checksum?: Checksum } {
  return checksum ? { checksum } : {};
}

/** Another one for every file, and for the same file once it was written to. */
function fingerprintOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}`;
}

/** Of a file of which no client said what is in it: reading it whole to tell its MD5 would cost too much. */
function etagOfUnread(fingerprint: string): string {
  return `${createHash("md5").update(fingerprint).digest("hex")}-0`;
}

function unholdable(key: string, why: string): S3Error {
  return new S3Error(
    "InvalidObjectName",
    `the bucket is a network volume, and no file in it can have this key: ${why}`,
    { Key: key },
  );
}
