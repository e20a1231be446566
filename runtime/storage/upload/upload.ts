/** Stores one object and returns its address. */
import fs from "node:fs";
import { addAbortSignal, Readable } from "node:stream";
import { checkKey, checkOptions, EXPIRY_MAX_MS } from "./check-upload.ts";
import { typeOfEnding } from "./content-type.ts";
import type { FileBody, UploadBody, UploadedObject, UploadOptions } from "../contract.ts";
import type { Body, ObjectStore } from "../object-store.ts";
import { Buffer } from "node:buffer";
import type { ReadableStream as WebStream } from "node:stream/web";
import { fileURLToPath } from "node:url";

const CONCURRENCY = 4;

/** @throws StorageError, TypeError, errors of the body, or the signal's reason */
export async function upload(
  key: string,
  body: UploadBody,
  options: UploadOptions,
  { store, signal }: { readonly store: ObjectStore; readonly signal: AbortSignal },
): Promise<UploadedObject> {
  checkKey(key);
  checkOptions(options);
  const { contentType = contentTypeOf(key, body), metadata = {}, onProgress } = options;
  const { contentDisposition, cacheControl } = options;
  const { concurrency = CONCURRENCY, expiresInMs = EXPIRY_MAX_MS, partSizeBytes } = options;
  const opened = await openBody(body);
  const totalBytes = opened.kind === "bytes" ? opened.bytes.byteLength : opened.sizeBytes;
  const total = totalBytes === undefined ? {} : { totalBytes };
  if (opened.kind === "stream") addAbortSignal(signal, opened.stream);
  try {
    const stored = await store.put(key, opened, {
      ...{ contentType, contentDisposition, cacheControl, metadata },
      ...{ partSizeBytes, concurrency, signal },
      sent: (sentBytes) => onProgress?.({ sentBytes, ...total }),
    });
    const url = await store.url(key, expiresInMs);
    return { url, bucket: store.bucket, key, ...stored };
  } catch (failure) {
    signal.throwIfAborted();
    throw failure;
  } finally {
    letGo(opened);
  }
}

/** Ends a stream, which would otherwise wait for its reader forever. */
function letGo(body: Body): void {
  if (body.kind === "stream") body.stream.destroy();
}

/** The type of the body: the own one of a Blob or a Response, else that of the key's ending, else one for text or for bytes. */
function contentTypeOf(key: string, body: UploadBody): string {
  if (body instanceof Blob && body.type !== "") return body.type;
  const told = body instanceof Response ? body.headers.get("content-type") : null;
  if (told !== null) return told;
  const isText = typeof body === "string";
  const type = typeOfEnding(key) ?? (isText ? "text/plain" : "application/octet-stream");
  // Browsers need a charset to read text as UTF-8.
  return isText && type.startsWith("text/") ? `${type}; charset=utf-8` : type;
}

/** Bytes of one read of a file. The reads are larger than a file stream's default. */
const FILE_PIECE_BYTES = 1_000_000;

/**
 * Opens a file, but reads nothing yet.
 *
 * @throws TypeError if it cannot be uploaded
 * @throws the file system's error if a file cannot be opened
 */
async function openBody(body: UploadBody): Promise<Body> {
  if (typeof body === "string") return { kind: "bytes", bytes: Buffer.from(body) };
  if (body instanceof ArrayBuffer) return { kind: "bytes", bytes: new Uint8Array(body) };
  if (ArrayBuffer.isView(body)) {
    const { buffer, byteOffset, byteLength } = body;
    return { kind: "bytes", bytes: Buffer.from(buffer, byteOffset, byteLength) };
  }
  if (body instanceof URL) return openFile(body);
  if (isFileBody(body)) return openFile(body.file);
  if (body instanceof Blob) return fromStream(fromWeb(body.stream()), body.size);
  if (body instanceof Readable) {
    if (body.destroyed || body.readableEnded) throw spent();
    return fromStream(body);
  }
  if (body instanceof Response) {
    if (body.bodyUsed) throw spent();
    return body.body ? openBody(body.body) : { kind: "bytes", bytes: Buffer.alloc(0) };
  }
  if (body instanceof ReadableStream) {
    if (body.locked) throw spent();
    return fromStream(fromWeb(body));
  }
  if (isAsyncIterable(body)) return fromStream(Readable.from(body));
  throw new TypeError(
    "The body of an upload must be a string, bytes, a Blob, a Response, { file: path }, a file: URL, a stream or an async iterable.",
  );
}

async function openFile(file: string | URL): Promise<Body> {
  if (file instanceof URL && file.protocol !== "file:") {
    throw new TypeError(`Only a file: URL can be uploaded, not an ${file.protocol} one.`);
  }
  const location = file instanceof URL ? fileURLToPath(file) : file;
  const handle = await fs.promises.open(location);
  const stats = await handle.stat();
  if (!stats.isFile()) {
    await handle.close();
    throw new TypeError(`${location} is no file.`);
  }
  const stream = handle.createReadStream({ highWaterMark: FILE_PIECE_BYTES });
  return fromStream(stream, stats.size);
}

function fromStream(stream: Readable, sizeBytes?: number): Body {
  return { kind: "stream", stream, ...(sizeBytes === undefined ? {} : { sizeBytes }) };
}

/** The global type and that of `node:stream/web` are one class with two declarations. */
function fromWeb(stream: ReadableStream): Readable {
  return Readable.fromWeb(stream as WebStream);
}

function isFileBody(body: unknown): body is FileBody {
  if (typeof body !== "object" || body === null || !("file" in body)) return false;
  return typeof body.file === "string" || body.file instanceof URL;
}

function isAsyncIterable(body: unknown): body is AsyncIterable<Uint8Array | string> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

function spent(): TypeError {
  return new TypeError(
    "The stream has a reader, or was read already: an upload needs an unused one.",
  );
}
