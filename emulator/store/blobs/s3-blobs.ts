/** Stores large payloads as objects of a bucket. Each is sent in one request, so an interrupted upload leaves nothing behind. */
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { DeleteObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { StoreClosedError, StoreFullError, StoreUnusableError } from "../../core/store-error.ts";
import type { Environment } from "../../../runtime/protocol/environment/worker-env.ts";
import { RETRY, type RetryTerms } from "../../../runtime/storage/retry.ts";
import { type CallTerms, call, withClient } from "../../../runtime/storage/s3/client.ts";
import { type Explain, readFault, storageError } from "../../../runtime/storage/s3/fault.ts";
import { S3Store } from "../../../runtime/storage/s3/s3-store.ts";
import type { Blobs, FoundBlob, OpenedBlob } from "./blobs.ts";
import { type BlobsPlace, readBlobsPlace } from "./s3-address.ts";

/** Timeout of a read without a byte. */
const IDLE_LIMIT_MS = 30_000;
const INSUFFICIENT_STORAGE = 507;

export interface S3BlobsOptions {
  /** Variables for keys and for other values that the address leaves out. */
  readonly env: Environment;
  /** Retries after temporary errors. Default: six attempts within about ten seconds. */
  readonly retry?: RetryTerms;
}

/**
 * Opens the bucket of an address, and tests whether it can write, read, list and remove a blob.
 *
 * @throws StoreUnusableError for an address that lacks something, a service that cannot be reached, or keys it refuses;
 *   StoreFullError when it has no room
 */
export async function openS3Blobs(address: string, options: S3BlobsOptions): Promise<Blobs> {
  const blobs = new S3Blobs(readBlobsPlace(address, options.env), options.retry ?? RETRY);
  try {
    await tryOut(blobs);
    return blobs;
  } catch (error) {
    await blobs.close();
    throw error;
  }
}

async function tryOut(blobs: Blobs): Promise<void> {
  const name = randomUUID();
  await blobs.put(name, [Buffer.from(name)]);
  await using opened = await blobs.read(name, 0, name.length);
  const pieces = opened === undefined ? [] : await Array.fromAsync(opened.slices());
  if (Buffer.concat(pieces).toString() !== name)
    throw new StoreUnusableError(
      "the bucket for large payloads returns other bytes than were written",
    );
  for await (const _ of blobs.names()) break;
  await blobs.remove(name);
}

class S3Blobs implements Blobs {
  readonly #place: BlobsPlace;
  readonly #retry: RetryTerms;
  readonly #store: S3Store;
  readonly #closing = new AbortController();

  constructor(place: BlobsPlace, retry: RetryTerms) {
    this.#place = place;
    this.#retry = retry;
    // An object in one request has no multipart upload to report.
    const listener = { opened: () => undefined, closed: () => undefined };
    this.#store = new S3Store(place, { listener, retry, explain });
  }

  async put(name: string, parts: readonly Uint8Array[]): Promise<void> {
    const [only] = parts;
    const bytes = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
    await this.#store.put(
      this.#keyOf(name),
      { kind: "bytes", bytes },
      {
        contentType: "application/octet-stream",
        metadata: {},
        partSizeBytes: Math.max(1, bytes.byteLength),
        concurrency: 1,
        sent: () => undefined,
        signal: this.#closing.signal,
      },
    );
  }

  async read(name: string, offset: number, sizeBytes: number): Promise<OpenedBlob | undefined> {
    const range = { offset, sizeBytes: Math.max(1, sizeBytes) };
    const { signal } = this.#closing;
    const terms = { idleTimeoutMs: IDLE_LIMIT_MS, signal, range };
    try {
      const { stream } = await this.#store.get(this.#keyOf(name), terms);
      return {
        slices: () => this.#slicesOf(name, stream, sizeBytes),
        async [Symbol.asyncDispose]() {
          stream.destroy();
        },
      };
    } catch (error) {
      if (error instanceof MissingError) return undefined;
      if (error instanceof BeyondEndError) return NOTHING;
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    const { bucket } = this.#place;
    const key = this.#keyOf(name);
    const command = new DeleteObjectCommand({ Bucket: bucket, Key: key });
    await withClient(this.#place, (client) => {
      const { signal } = this.#closing;
      const terms = this.#terms(`The object "${key}" cannot be removed from`);
      return call(() => client.send(command, { abortSignal: signal }), terms);
    }).catch((error: unknown) => {
      // Some services respond with 404 to the removal of a missing object.
      if (!(error instanceof MissingError)) throw error;
    });
  }

  async *names(): AsyncGenerator<FoundBlob, void, undefined> {
    const { bucket, prefix } = this.#place;
    const { signal } = this.#closing;
    const terms = this.#terms("The objects cannot be listed of");
    for (let from: string | undefined; ;) {
      const command = new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        ...(from !== undefined && { ContinuationToken: from }),
      });
      const page = await withClient(this.#place, (client) =>
        call(() => client.send(command, { abortSignal: signal }), terms),
      );
      for (const { Key: key = "", LastModified: at } of page.Contents ?? []) {
        const name = key.slice(prefix.length);
        if (name !== "" && !name.includes("/") && at !== undefined)
          yield { name, writtenAt: at.getTime() };
      }
      from = page.NextContinuationToken;
      if (from === undefined) return;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new StoreClosedError());
  }

  #keyOf(name: string): string {
    return `${this.#place.prefix}${name}`;
  }

  #terms(what: string): CallTerms {
    return {
      settings: this.#place,
      retry: this.#retry,
      signal: this.#closing.signal,
      explain: (fault) => explain(fault, what, this.#place),
    };
  }

  async *#slicesOf(
    name: string,
    stream: AsyncIterable<Uint8Array>,
    sizeBytes: number,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    let left = sizeBytes;
    try {
      for await (const piece of stream) {
        const slice = piece.subarray(0, left);
        left -= slice.byteLength;
        if (slice.byteLength > 0) yield slice;
      }
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      const what = `The object "${this.#keyOf(name)}" cannot be read on from`;
      throw explain(readFault(error), what, this.#place);
    }
  }
}

class MissingError extends StoreUnusableError {}
class BeyondEndError extends StoreUnusableError {}

const NOTHING: OpenedBlob = {
  async *slices() {},
  async [Symbol.asyncDispose]() {},
};

const explain: Explain = (fault, what, settings) => {
  const { message } = storageError(fault, what, settings);
  if (fault.status === INSUFFICIENT_STORAGE) return new StoreFullError(message);
  if (fault.status === 404 && fault.name !== "NoSuchBucket") return new MissingError(message);
  return fault.status === 416 ? new BeyondEndError(message) : new StoreUnusableError(message);
};
