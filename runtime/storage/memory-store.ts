/** Objects in memory, for tests of handlers. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type {
  Body,
  Incoming,
  ObjectHeaders,
  ObjectStore,
  PutTerms,
  StoredObject,
} from "./object-store.ts";
import { partsOf } from "./upload/parts.ts";
import { StorageError } from "./storage-error.ts";

const PIECE_BYTES = 1_000_000;

/** An uploaded object, as it was stored. */
export interface CapturedUpload extends ObjectHeaders {
  readonly key: string;
  readonly body: Buffer;
  readonly metadata: Readonly<Record<string, string>>;
}

export class MemoryStore implements ObjectStore {
  readonly bucket: string;
  /** Oldest first. */
  readonly uploads: CapturedUpload[] = [];
  readonly #objects = new Map<string, CapturedUpload>();

  constructor(bucket: string, objects: Readonly<Record<string, string | Uint8Array>>) {
    this.bucket = bucket;
    for (const [key, body] of Object.entries(objects)) {
      const contentType = "application/octet-stream";
      this.#objects.set(key, { key, body: Buffer.from(body), contentType, metadata: {} });
    }
  }

  async put(key: string, body: Body, terms: PutTerms): Promise<StoredObject> {
    const pieces: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const { bytes } of partsOf(body, PIECE_BYTES)) {
      terms.signal.throwIfAborted();
      pieces.push(bytes);
      sizeBytes += bytes.byteLength;
      terms.sent(sizeBytes);
    }
    const { contentType, contentDisposition, cacheControl, metadata } = terms;
    const whole = Buffer.concat(pieces);
    const object = {
      ...{ key, body: whole, contentType, metadata },
      ...(contentDisposition !== undefined && { contentDisposition }),
      ...(cacheControl !== undefined && { cacheControl }),
    };
    this.uploads.push(object);
    this.#objects.set(key, object);
    return { sizeBytes, etag: createHash("md5").update(whole).digest("hex") };
  }

  url(key: string): Promise<string> {
    const path = key.split("/").map(encodeURIComponent).join("/");
    return Promise.resolve(`https://${this.bucket}.invalid/${path}`);
  }

  get(key: string): Promise<Incoming> {
    const found = this.#objects.get(key);
    if (found === undefined) {
      const why = `There is no object "${key}": neither uploaded nor among \`objects\`.`;
      return Promise.reject(new StorageError("storage_not_found", why));
    }
    const { body, contentType } = found;
    return Promise.resolve({
      stream: Readable.from([body]),
      sizeBytes: body.byteLength,
      contentType,
    });
  }
}
