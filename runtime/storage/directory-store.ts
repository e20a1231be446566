/** Objects as files of a directory, for runs without any service. */
import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import type { Body, Incoming, ObjectStore, PutTerms, StoredObject } from "./object-store.ts";
import { isSpelledOtherwise } from "./spelled-otherwise.ts";
import { StorageError } from "./storage-error.ts";

/** Keys are paths here, so invalid paths are refused. Only the content of an object is stored. */
export class DirectoryStore implements ObjectStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = path.resolve(root);
  }

  get bucket(): string {
    return path.basename(this.#root);
  }

  async put(key: string, body: Body, { sent, signal }: PutTerms): Promise<StoredObject> {
    const file = await this.#fileAt(key);
    const partial = `${file}.${randomUUID()}.partial`;
    const digest = createHash("md5");
    let sizeBytes = 0;
    const counted = async function* (pieces: AsyncIterable<Uint8Array | string>) {
      for await (const piece of pieces) {
        const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
        digest.update(bytes);
        sizeBytes += bytes.byteLength;
        yield bytes;
        sent(sizeBytes);
      }
    };
    await fs.promises.mkdir(path.dirname(file), { recursive: true });
    const stream = body.kind === "bytes" ? Readable.from([body.bytes]) : body.stream;
    try {
      await pipeline(stream, counted, fs.createWriteStream(partial), { signal });
      await fs.promises.rename(partial, file);
    } catch (failure) {
      await fs.promises.rm(partial, { force: true });
      throw failure;
    }
    return { sizeBytes, etag: digest.digest("hex") };
  }

  url(key: string): Promise<string> {
    return Promise.resolve(pathToFileURL(this.#fileOf(key)).href);
  }

  async get(key: string): Promise<Incoming> {
    const file = await this.#fileAt(key);
    try {
      const { size } = await fs.promises.stat(file);
      return { stream: fs.createReadStream(file), sizeBytes: size };
    } catch (error) {
      throw new StorageError("storage_not_found", `There is no object "${key}": no ${file}.`, {
        cause: error,
      });
    }
  }

  /** @throws StorageError as `#fileOf`, and for a key whose file is the same as another key's in this file system */
  async #fileAt(key: string): Promise<string> {
    const file = this.#fileOf(key);
    let directory = this.#root;
    for (const name of key.split("/")) {
      if (await isSpelledOtherwise(directory, name))
        throw new StorageError(
          "storage_refused",
          `The key "${key}" differs from an existing one only in case or Unicode form, and the file system of ${this.#root} takes both for the same.`,
        );
      directory = path.join(directory, name);
    }
    return file;
  }

  /** @throws StorageError if the key leads out of the directory, or to no single place in it */
  #fileOf(key: string): string {
    const isPath = key.split("/").every((part) => !["", ".", ".."].includes(part));
    if (isPath && !key.includes("\0")) return path.join(this.#root, ...key.split("/"));
    throw new StorageError("storage_refused", `The key "${key}" is no path in ${this.#root}.`);
  }
}
