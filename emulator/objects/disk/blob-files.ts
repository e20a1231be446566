/** Files with the content of objects and parts: written once, with random names, removed when no row refers to them. */
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { opendir, rm } from "node:fs/promises";
import path from "node:path";
import { DirectorySync, makeDirectoryDurably } from "../../sqlite/durable-directory.ts";
import type { ByteRange, Content } from "../object-store.ts";
import { asStoreError } from "./disk-error.ts";
import { writeContent } from "./write-content.ts";

export interface Blob {
  readonly name: string;
  readonly sizeBytes: number;
}

/** A durable blob to which no row refers yet. It is removed unless it is kept. */
export interface StagedBlob extends Blob {
  readonly md5: string;
}

const READ_BYTES = 262_144;

export class BlobFiles {
  readonly #root: string;
  readonly #names: DirectorySync;
  readonly #staged = new Set<string>();
  /** Number of readers of each blob. */
  readonly #pins = new Map<string, number>();
  /** The blobs to remove when their last reader has ended. */
  readonly #doomed = new Set<string>();
  readonly #removals = new Set<Promise<void>>();

  /** @throws Error if the directory cannot be made */
  constructor(root: string) {
    this.#root = root;
    makeDirectoryDurably(root);
    this.#names = new DirectorySync(root);
  }

  /** @throws S3Error InsufficientStorage; whatever `content` throws */
  async stage(content: Content): Promise<StagedBlob> {
    const name = randomUUID();
    this.#staged.add(name);
    try {
      const written = await writeContent(this.#pathOf(name), content, 0o600);
      await this.#names.sync();
      return { name, ...written };
    } catch (error) {
      this.#staged.delete(name);
      this.remove([name]);
      throw asStoreError(error);
    }
  }

  /** Call it when a row refers to the blob. */
  keep(blob: StagedBlob): void {
    this.#staged.delete(blob.name);
  }

  /** Removes a staged blob to which no row will refer. */
  discard(blob: StagedBlob): void {
    this.#staged.delete(blob.name);
    this.remove([blob.name]);
  }

  /** Keeps blobs from being removed until the returned function is called, once. */
  pin(blobs: readonly Blob[]): () => void {
    for (const { name } of blobs) this.#pins.set(name, (this.#pins.get(name) ?? 0) + 1);
    return () => {
      for (const { name } of blobs) this.#unpin(name);
    };
  }

  /** Yields the bytes of several blobs in order, or a range of them. The blobs must be pinned. */
  async *read(blobs: readonly Blob[], range?: ByteRange): Content {
    let before = 0;
    for (const { name, sizeBytes } of blobs) {
      const start = Math.max(0, (range?.start ?? 0) - before);
      const end = Math.min(sizeBytes, (range?.end ?? Infinity) + 1 - before) - 1;
      before += sizeBytes;
      if (start > end) continue;
      yield* createReadStream(this.#pathOf(name), { start, end, highWaterMark: READ_BYTES });
    }
  }

  /** Removes blobs to which no row refers any more. The next start sweeps what cannot be removed now. */
  remove(names: readonly string[]): void {
    for (const name of names) {
      if (this.#pins.has(name)) {
        this.#doomed.add(name);
        continue;
      }
      this.#doomed.delete(name);
      const removal = rm(this.#pathOf(name), { force: true })
        .catch(() => undefined)
        .finally(() => this.#removals.delete(removal));
      this.#removals.add(removal);
    }
  }

  /** Removes blobs of earlier runs to which no row refers. Other calls may run meanwhile. */
  async sweep(isReferred: (name: string) => boolean, signal: AbortSignal): Promise<void> {
    for await (const { name } of await opendir(this.#root)) {
      if (signal.aborted) return;
      if (!this.#staged.has(name) && !this.#doomed.has(name) && !isReferred(name)) {
        this.remove([name]);
      }
    }
  }

  /** Resolves when nothing is being removed. */
  async settle(): Promise<void> {
    await Promise.all(this.#removals);
  }

  #unpin(name: string): void {
    const pins = (this.#pins.get(name) ?? 1) - 1;
    if (pins > 0) {
      this.#pins.set(name, pins);
      return;
    }
    this.#pins.delete(name);
    if (this.#doomed.has(name)) this.remove([name]);
  }

  #pathOf(name: string): string {
    return path.join(this.#root, name);
  }
}
