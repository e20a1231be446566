/** Stores one object and gives its address. */
import { addAbortSignal } from "node:stream";
import { openBody } from "./body.ts";
import { checkKey, checkOptions, EXPIRY_MAX_MS } from "./check-upload.ts";
import { contentTypeOf } from "./content-type.ts";
import type { UploadBody, UploadedObject, UploadOptions } from "../contract.ts";
import type { Body, ObjectStore } from "../object-store.ts";

const CONCURRENCY = 4;

/** @throws StorageError, TypeError, what the body throws, or the signal's reason */
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

/** Of a stream that was read to its end nothing is left to do; another one would wait for its reader for ever. */
function letGo(body: Body): void {
  if (body.kind === "stream") body.stream.destroy();
}
