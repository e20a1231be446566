/** Sends a large object in parts, several at a time. After a failure no part remains. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { inParallel } from "../upload/in-parallel.ts";
import type { ObjectHeaders, PutTerms, StoredObject } from "../object-store.ts";
import type { Part } from "../upload/parts.ts";
import { type RetryTerms, withRetries } from "../retry.ts";
import { StorageError } from "../storage-error.ts";
import { mayPass, readFault } from "./fault.ts";
import { type CallTerms, call } from "./client.ts";

/** Maximum parts of an upload to S3. */
export const MAX_PARTS = 10_000;
/** Timeouts of the beginning and the abort of an upload. Both fit into the grace of a stopped job, five seconds by default. */
const BEGIN_LIMIT_MS = 2_000;
const ABORT_LIMIT_MS = 2_500;
const ABORT_RETRY: RetryTerms = { tries: 8, firstMs: 100, maxMs: 1_000 };

export interface Target {
  readonly client: S3Client;
  readonly bucket: string;
  readonly key: string;
}

export interface MultipartTerms extends Omit<PutTerms, "partSizeBytes">, CallTerms {
  /** Called with the upload's id. */
  readonly opened: (uploadId: string) => void;
  /** Called when the upload is complete, or nothing of it remains. */
  readonly closed: (uploadId: string) => void;
  /** Called at the first failure. Must end the source of parts and, by `signal`, all requests. */
  readonly failed: () => void;
}

/** The headers that the service stores with the object. */
export function headersOf(terms: ObjectHeaders & Pick<PutTerms, "metadata">) {
  const { contentType, contentDisposition, cacheControl, metadata } = terms;
  return {
    ...{ ContentType: contentType, Metadata: metadata },
    ...{ ContentDisposition: contentDisposition, CacheControl: cacheControl },
  };
}

interface SentPart {
  readonly PartNumber: number;
  readonly ETag: string;
}

export async function putInParts(
  target: Target,
  parts: AsyncGenerator<Part, void, undefined>,
  terms: MultipartTerms,
): Promise<StoredObject> {
  const uploadId = await begin(target, terms);
  terms.opened(uploadId);
  try {
    const sent: SentPart[] = [];
    let sizeBytes = 0;
    const send = async (part: Part): Promise<void> => {
      sent.push(await sendPart(target, uploadId, part, terms));
      sizeBytes += part.bytes.byteLength;
      part.release();
      terms.sent(sizeBytes);
    };
    await inParallel(parts, terms.concurrency, send, terms.failed);
    sent.sort((a, b) => a.PartNumber - b.PartNumber);
    const etag = await complete(target, uploadId, sent, terms);
    terms.closed(uploadId);
    return { sizeBytes, etag };
  } catch (failure) {
    await abortUpload(target, uploadId).then(
      () => terms.closed(uploadId),
      // The abort by the listener of the upload has more time.
      () => undefined,
    );
    throw failure;
  }
}

/** Begins an upload. The signal takes effect a little later, so that an upload that the service has begun is known here. */
async function begin({ client, bucket, key }: Target, terms: MultipartTerms): Promise<string> {
  const { signal } = terms;
  const command = new CreateMultipartUploadCommand({
    Bucket: bucket,
    Key: key,
    ...headersOf(terms),
  });
  const late = new AbortController();
  const delay = (): void => void setTimeout(() => late.abort(), BEGIN_LIMIT_MS).unref();
  signal.addEventListener("abort", delay, { once: true });
  const send = () => client.send(command, { abortSignal: late.signal });
  const { UploadId } = await call(send, terms);
  signal.removeEventListener("abort", delay);
  if (UploadId === undefined) throw incomplete(key);
  return UploadId;
}

async function sendPart(
  { client, bucket, key }: Target,
  uploadId: string,
  { number, bytes }: Part,
  terms: MultipartTerms,
): Promise<SentPart> {
  if (number > MAX_PARTS) {
    throw new RangeError(
      `The body needs more than ${MAX_PARTS} parts, the most there can be: give a larger partSizeBytes.`,
    );
  }
  const command = new UploadPartCommand({
    Bucket: bucket,
    Key: key,
    UploadId: uploadId,
    PartNumber: number,
    Body: bytes,
  });
  keepConnection(command);
  const send = () => client.send(command, { abortSignal: terms.signal });
  const { ETag } = await call(send, terms);
  if (ETag === undefined) throw incomplete(key);
  return { PartNumber: number, ETag };
}

/**
 * The client would ask before each large body, over a new connection. This is unnecessary: the service has just accepted the
 * credentials, and a part may use the connection of the previous one.
 */
function keepConnection(command: UploadPartCommand): void {
  command.middlewareStack.add(
    (next) => (args) => {
      const { request } = args;
      if (isRequest(request)) delete request.headers["Expect"];
      return next(args);
    },
    { step: "build", priority: "low", name: "keepConnection" },
  );
}

function isRequest(value: unknown): value is { readonly headers: Record<string, string> } {
  return typeof value === "object" && value !== null && "headers" in value;
}

async function complete(
  { client, bucket, key }: Target,
  uploadId: string,
  parts: SentPart[],
  terms: MultipartTerms,
): Promise<string> {
  const { signal } = terms;
  const object = { Bucket: bucket, Key: key };
  const command = new CompleteMultipartUploadCommand({
    ...object,
    UploadId: uploadId,
    MultipartUpload: { Parts: parts },
  });
  const send = async (): Promise<string> => {
    try {
      return unquoted((await client.send(command, { abortSignal: signal })).ETag);
    } catch (thrown) {
      if (readFault(thrown).name !== "NoSuchUpload") throw thrown;
      // The previous try may have succeeded without an answer.
      const { ETag } = await client.send(new HeadObjectCommand(object), { abortSignal: signal });
      if (unquoted(ETag) !== etagOf(parts)) throw thrown;
      return unquoted(ETag);
    }
  };
  return call(send, terms);
}

/** The error for an answer without a required member. */
function incomplete(key: string): StorageError {
  const message = `The service does not accept an upload of "${key}" in parts: its answer does not match S3.`;
  return new StorageError("storage_refused", message);
}

/** The ETag of an upload, for services that use the MD5 of a part as its ETag. */
function etagOf(parts: readonly SentPart[]): string {
  const digests = parts.map(({ ETag }) => Buffer.from(unquoted(ETag), "hex"));
  return `${createHash("md5").update(Buffer.concat(digests)).digest("hex")}-${parts.length}`;
}

/** An ETag without the quotes that HTTP puts around it. */
export function unquoted(etag: string | undefined): string {
  return etag?.replaceAll('"', "") ?? "";
}

/**
 * Aborts an upload in parts. A missing upload counts as aborted.
 * @param limitMs timeout
 * @throws errors of the client, after several tries
 */
export async function abortUpload(
  { client, bucket, key }: Target,
  uploadId: string,
  limitMs = ABORT_LIMIT_MS,
): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId });
  const request = async (): Promise<void> => {
    try {
      await client.send(command, { abortSignal: signal });
    } catch (thrown) {
      if (readFault(thrown).name !== "NoSuchUpload") throw thrown;
    }
  };
  await withRetries(request, mayPass, ABORT_RETRY, signal);
}
