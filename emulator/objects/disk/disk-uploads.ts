/** Multipart uploads of one bucket. Each part is a file of its own until the upload ends. */
import { createHash, randomBytes } from "node:crypto";
import type {
  Checksum,
  CompleteOptions,
  Content,
  ObjectInfo,
  Part,
  Upload,
  Uploads,
} from "../object-store.ts";
import { noSuchUpload, S3Error } from "../s3-error.ts";
import type { BlobFiles } from "./blob-files.ts";
import type { IndexDatabase } from "./index/index-database.ts";
import type { StoredPart, UploadTable } from "./index/upload-table.ts";
import type { UploadExpiry } from "./upload-expiry.ts";

export interface UploadsContext {
  readonly db: IndexDatabase;
  readonly table: UploadTable;
  readonly blobs: BlobFiles;
  readonly expiry: UploadExpiry;
  readonly now: () => number;
}

/** Makes the object of an upload from its parts. @throws S3Error NoSuchUpload, PreconditionFailed and others */
export type Assemble = (
  upload: Upload,
  parts: readonly StoredPart[],
  made: { readonly etag: string } & CompleteOptions,
) => Promise<ObjectInfo>;

export class DiskUploads implements Uploads {
  readonly #context: UploadsContext;
  readonly #bucket: string;
  readonly #assemble: Assemble;

  constructor(context: UploadsContext, bucket: string, assemble: Assemble) {
    this.#context = context;
    this.#bucket = bucket;
    this.#assemble = assemble;
  }

  async create(key: string, options: Omit<Upload, "id" | "key" | "initiatedAt">): Promise<Upload> {
    const { db, table, expiry } = this.#context;
    const id = randomBytes(24).toString("base64url");
    const upload = { ...options, id, key, initiatedAt: expiry.now() };
    db.transact(() => table.insert(this.#bucket, upload));
    expiry.begun();
    return upload;
  }

  async find(key: string, id: string): Promise<Upload> {
    const upload = this.#context.table.find(this.#bucket, id);
    if (upload?.key !== key) throw noSuchUpload(id);
    return upload;
  }

  async list(): Promise<readonly Upload[]> {
    return this.#context.table.list(this.#bucket);
  }

  async putPart(
    upload: Upload,
    number: number,
    content: Content,
    checksum?: () => Checksum | undefined,
  ): Promise<Part> {
    const { db, table, blobs, now } = this.#context;
    const blob = await blobs.stage(content);
    try {
      const given = checksum?.();
      const part: Part = {
        number,
        sizeBytes: blob.sizeBytes,
        etag: blob.md5,
        modifiedAt: now(),
        ...(given && { checksum: given }),
      };
      const replaced = db.transact(() => {
        this.#mustBeOpen(upload);
        const former = table.findPart(upload.id, number);
        table.putPart(upload.id, { part, blob });
        return former;
      });
      blobs.keep(blob);
      if (replaced) blobs.remove([replaced.blob.name]);
      return part;
    } catch (error) {
      blobs.discard(blob);
      throw error;
    }
  }

  async parts(upload: Upload): Promise<readonly Part[]> {
    return this.#context.table.parts(upload.id).map(({ part }) => part);
  }

  async *read(upload: Upload, numbers: readonly number[]): Content {
    const { blobs } = this.#context;
    const pieces = this.#chosen(upload, numbers).map(({ blob }) => blob);
    const unpin = blobs.pin(pieces);
    try {
      yield* blobs.read(pieces);
    } finally {
      unpin();
    }
  }

  async abort(upload: Upload): Promise<void> {
    this.end(upload);
  }

  async complete(upload: Upload, options: CompleteOptions): Promise<ObjectInfo> {
    const parts = this.#chosen(upload, options.numbers);
    return this.#assemble(upload, parts, { ...options, etag: etagOf(parts) });
  }

  /** Drops the upload and all its parts. @throws S3Error NoSuchUpload */
  end(upload: Upload): void {
    const { db, blobs } = this.#context;
    blobs.remove(db.transact(() => this.take(upload)).map(({ blob }) => blob.name));
  }

  /** Within a transaction: drops the rows, and returns the parts. @throws S3Error NoSuchUpload */
  take(upload: Upload): readonly StoredPart[] {
    const { table } = this.#context;
    this.#mustBeOpen(upload);
    const parts = table.parts(upload.id);
    table.delete(upload.id);
    return parts;
  }

  endAll(): void {
    for (const upload of this.#context.table.list(this.#bucket)) this.end(upload);
  }

  #mustBeOpen({ id }: Upload): void {
    if (!this.#context.table.find(this.#bucket, id)) throw noSuchUpload(id);
  }

  #chosen(upload: Upload, numbers: readonly number[]): readonly StoredPart[] {
    const parts = new Map(
      this.#context.table.parts(upload.id).map((row) => [row.part.number, row]),
    );
    return numbers.map((number) => {
      const found = parts.get(number);
      if (found) return found;
      throw new S3Error("InvalidPart", `part ${number} was not uploaded`, {
        UploadId: upload.id,
        PartNumber: String(number),
      });
    });
  }
}

/** The ETag as S3 makes it: the MD5 of the parts' MD5s, and the number of parts. */
function etagOf(parts: readonly StoredPart[]): string {
  const hash = createHash("md5");
  for (const { part } of parts) hash.update(part.etag, "hex");
  return `${hash.digest("hex")}-${parts.length}`;
}
