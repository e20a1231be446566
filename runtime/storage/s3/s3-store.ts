/** Objects in a bucket of an S3 service. */
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { OpenUpload } from "../../protocol/open-upload.ts";
import { HttpFailure } from "../download/http-failure.ts";
import { openUrl } from "../download/open-url.ts";
import type {
  Body,
  FetchTerms,
  Incoming,
  ObjectStore,
  PutTerms,
  StoredObject,
} from "../object-store.ts";
import { type Part, partsOf } from "../upload/parts.ts";
import { RETRY, type RetryTerms } from "../retry.ts";
import type { BucketSettings, ServiceAddress } from "../settings.ts";
import { call, withClient } from "./client.ts";
import { type Explain, httpFault, storageError } from "./fault.ts";
import { learnRegion, regionOf } from "./region.ts";
import {
  headersOf,
  MAX_PARTS,
  type MultipartTerms,
  putInParts,
  type Target,
  unquoted,
} from "./multipart.ts";

const PART_BYTES = 6_000_000;
/** Expiry of an object's presigned address. */
const FETCH_EXPIRY_MS = 3_600_000;

/** Called with every upload in parts, so that another process can abort the upload of a process that died. */
export interface MultipartListener {
  opened(upload: OpenUpload): void;
  /** The upload is complete, or nothing of it remains. */
  closed(uploadId: string): void;
}

export interface S3StoreOptions {
  readonly listener: MultipartListener;
  readonly retry?: RetryTerms;
  /** Makes the error for a failure; default: a StorageError. */
  readonly explain?: Explain;
}

export class S3Store implements ObjectStore {
  readonly #settings: BucketSettings;
  readonly #listener: MultipartListener;
  readonly #retry: RetryTerms;
  readonly #explain: Explain;

  constructor(
    settings: BucketSettings,
    { listener, retry = RETRY, explain = storageError }: S3StoreOptions,
  ) {
    this.#settings = settings;
    this.#listener = listener;
    this.#retry = retry;
    this.#explain = explain;
  }

  get bucket(): string {
    return this.#settings.bucket;
  }

  put(key: string, body: Body, terms: PutTerms): Promise<StoredObject> {
    return withClient(this.#settings, (client) => {
      const halt = new AbortController();
      return this.#send({ client, bucket: this.bucket, key }, body, {
        ...terms,
        signal: AbortSignal.any([terms.signal, halt.signal]),
        settings: this.#settings,
        retry: this.#retry,
        explain: (fault) =>
          this.#explain(fault, `The object "${key}" cannot be stored in`, this.#settings),
        opened: (uploadId) => this.#listener.opened(openUpload(this.#settings, key, uploadId)),
        closed: (uploadId) => this.#listener.closed(uploadId),
        failed: () => {
          halt.abort();
          if (body.kind === "stream") body.stream.destroy();
        },
      });
    });
  }

  url(key: string, expiresInMs: number): Promise<string> {
    const { public: forReaders } = this.#settings;
    return this.#signed(key, expiresInMs, forReaders ?? this.#settings);
  }

  #signed(key: string, expiresInMs: number, address: ServiceAddress): Promise<string> {
    const command = new GetObjectCommand({ Bucket: this.bucket, Key: key });
    const expiresIn = Math.floor(expiresInMs / 1_000);
    const { endpointUrl, forcePathStyle } = address;
    const region = regionOf(this.#settings);
    const settings = { ...this.#settings, endpointUrl, forcePathStyle, region };
    return withClient(settings, (client) => getSignedUrl(client, command, { expiresIn }));
  }

  get(key: string, terms: FetchTerms): Promise<Incoming> {
    return this.#fetch(key, terms, (region) => learnRegion(this.#settings, region));
  }

  /** @param mayHelp whether another try may succeed after a refusal that names this region, or none */
  async #fetch(
    key: string,
    terms: FetchTerms,
    mayHelp: (region: string | undefined) => boolean,
  ): Promise<Incoming> {
    const url = await this.#signed(key, FETCH_EXPIRY_MS, this.#settings);
    try {
      return await openUrl(new URL(url), { ...terms, maxRedirects: 0 });
    } catch (failure) {
      if (!(failure instanceof HttpFailure)) throw failure;
      if (mayHelp(failure.region)) return this.#fetch(key, terms, () => false);
      const what = `The object "${key}" cannot be fetched from`;
      throw this.#explain(httpFault(failure), what, this.#settings);
    }
  }

  /** Sends a body that is no larger than a part in one request. */
  async #send(target: Target, body: Body, terms: SendTerms): Promise<StoredObject> {
    const parts = partsOf(body, partSizeBytes(body, terms));
    const first = await parts.next();
    if (first.done !== true && !first.value.isLast) {
      return putInParts(target, preceded(first.value, parts), terms);
    }
    const bytes = first.done === true ? new Uint8Array() : first.value.bytes;
    const command = new PutObjectCommand({
      Bucket: target.bucket,
      Key: target.key,
      Body: bytes,
      ...headersOf(terms),
    });
    const send = () => target.client.send(command, { abortSignal: terms.signal });
    const { ETag } = await call(send, terms);
    terms.sent(bytes.byteLength);
    return { sizeBytes: bytes.byteLength, etag: unquoted(ETag) };
  }
}

type SendTerms = PutTerms & MultipartTerms;

function openUpload(settings: BucketSettings, key: string, uploadId: string): OpenUpload {
  const { bucket, endpointUrl, forcePathStyle, accessKeyId, secretAccessKey } = settings;
  const where = { bucket, key, endpointUrl, region: regionOf(settings), forcePathStyle };
  return { uploadId, ...where, accessKeyId, secretAccessKey: secretAccessKey.reveal() };
}

function partSizeBytes(body: Body, { partSizeBytes: asked }: PutTerms): number {
  if (asked !== undefined) return asked;
  const { sizeBytes = 0 } = body.kind === "bytes" ? { sizeBytes: body.bytes.byteLength } : body;
  return Math.max(PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS));
}

async function* preceded(
  first: Part,
  rest: AsyncGenerator<Part, void, undefined>,
): AsyncGenerator<Part, void, undefined> {
  yield first;
  yield* rest;
}
