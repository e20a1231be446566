/** Stores one object and returns its address. */
import path from "node:path";
import { addAbortSignal } from "node:stream";
import { mimes } from "mrmime";
import { openBody } from "./body.ts";
import { checkKey, checkOptions, EXPIRY_MAX_MS } from "./check-upload.ts";
import type { UploadBody, UploadedObject, UploadOptions } from "../contract.ts";
import type { Body, ObjectStore } from "../object-store.ts";

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
  const { concurrency = CONCURRENCY, expiresInMs = EXPIRY_MAX_MS, partSizeBytes } = options;
  const opened = await openBody(body);
  const totalBytes = opened.kind === "bytes" ? opened.bytes.byteLength : opened.sizeBytes;
  const total = totalBytes === undefined ? {} : { totalBytes };
  if (opened.kind === "stream") addAbortSignal(signal, opened.stream);
  try {
    const stored = await store.put(key, opened, {
      ...{ contentType, metadata, partSizeBytes, concurrency, signal },
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

/** The type of the body: the Blob's own, else that of the key's ending, else one for text or for bytes. */
function contentTypeOf(key: string, body: UploadBody): string {
  if (body instanceof Blob && body.type !== "") return body.type;
  const isText = typeof body === "string";
  const type = typeOfEnding(key) ?? (isText ? "text/plain" : "application/octet-stream");
  // Browsers need a charset to read text as UTF-8.
  return isText && type.startsWith("text/") ? `${type}; charset=utf-8` : type;
}

function typeOfEnding(key: string): string | undefined {
  const ending = path.posix.extname(key).slice(1).toLowerCase();
  return Object.hasOwn(mimes, ending) ? mimes[ending] : undefined;
}
