/** Large payloads as files beside the database, durable before a row refers to them and removed after the last one did. */
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import { StoreUnusableError } from "../store.ts";
import { DirectorySync, makeDirectoryDurably } from "./durable-directory.ts";
import { codeOf, fromFileSystem } from "./sqlite-error.ts";
import { StagedFiles } from "./staged-files.ts";

/** The names this store gives; whatever else lies in the directory is left alone. */
const NAME = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Where in a file a payload lies. */
export interface FileRange {
  readonly name: string;
  readonly offset: number;
  readonly sizeBytes: number;
}

export class PayloadFiles {
  /** Written, but no committed row refers to them yet. */
  readonly staged = new StagedFiles((name) => this.remove(name));
  readonly #root: string;
  readonly #names: DirectorySync;
  readonly #readers = new Map<string, number>();
  /** Files to be removed once nobody reads them any more. */
  readonly #removable = new Set<string>();
  readonly #work = new Set<Promise<unknown>>();

  /** `dataDirectory` must exist. Throws when the directory for the files cannot be made. */
  constructor(dataDirectory: string) {
    this.#root = path.join(dataDirectory, "payloads");
    try {
      makeDirectoryDurably(this.#root);
    } catch (error) {
      throw fromFileSystem(error, this.#root);
    }
    this.#names = new DirectorySync(this.#root);
  }

  /** Removes the files that no row refers to: what a crash left between writing and committing. */
  async sweep(referred: ReadonlySet<string>): Promise<void> {
    for (const name of await fs.promises.readdir(this.#root)) {
      if (NAME.test(name) && !referred.has(name)) await this.remove(name);
    }
  }

  /** Writes a new file, the parts after one another; resolves with where they lie when it is durable. */
  stage(parts: readonly Uint8Array[]): Promise<FileRange[]> {
    return this.#track(this.#write(randomUUID(), parts));
  }

  /**
   * The content of a file a committed row refers to. It is not removed before this has settled, provided that it was
   * called in the same turn in which the row was read.
   */
  read(name: string): Promise<Uint8Array> {
    return this.#reading(name, (file) => fs.promises.readFile(file));
  }

  /** A part of such a file. */
  readRange({ name, offset, sizeBytes }: FileRange): Promise<Uint8Array> {
    return this.#reading(name, (file) => readRange(file, offset, sizeBytes));
  }

  /** Bytes of a file a row refers to; 0 if it cannot be found, which is for those to complain of who need its content. */
  async sizeOf(name: string): Promise<number> {
    const found = await fs.promises.stat(this.#pathOf(name)).catch(() => undefined);
    return found?.size ?? 0;
  }

  async #reading(name: string, read: (file: string) => Promise<Uint8Array>): Promise<Uint8Array> {
    this.#readers.set(name, (this.#readers.get(name) ?? 0) + 1);
    try {
      return await read(this.#pathOf(name));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw fromFileSystem(error, this.#pathOf(name));
      throw new StoreUnusableError(
        `the payload file ${this.#pathOf(name)} is missing; restore it from a copy`,
        { cause: error },
      );
    } finally {
      const readers = (this.#readers.get(name) ?? 1) - 1;
      if (readers > 0) this.#readers.set(name, readers);
      else this.#readers.delete(name);
      if (readers === 0 && this.#removable.has(name)) void this.remove(name);
    }
  }

  /** Removes a file no row refers to any more. What cannot be removed now is swept at the next start. */
  async remove(name: string): Promise<void> {
    if (this.#readers.has(name)) {
      this.#removable.add(name);
      return;
    }
    this.#removable.delete(name);
    await this.#track(fs.promises.rm(this.#pathOf(name), { force: true }).catch(() => undefined));
  }

  /** Resolves when no file is being written or removed. */
  async settle(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  async #write(name: string, parts: readonly Uint8Array[]): Promise<FileRange[]> {
    const file = this.#pathOf(name);
    try {
      await writeDurably(file, parts);
      await this.#names.sync();
    } catch (error) {
      await fs.promises.rm(file, { force: true }).catch(() => undefined);
      throw fromFileSystem(error, file);
    }
    let end = 0;
    const ranges = parts.map(({ byteLength: sizeBytes }) => {
      const offset = end;
      end += sizeBytes;
      return { name, offset, sizeBytes };
    });
    this.staged.add(
      name,
      ranges.map(({ offset }) => offset),
    );
    return ranges;
  }

  #pathOf(name: string): string {
    return path.join(this.#root, name);
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work);
    try {
      return await work;
    } finally {
      this.#work.delete(work);
    }
  }
}

async function writeDurably(file: string, parts: readonly Uint8Array[]): Promise<void> {
  const handle = await fs.promises.open(file, "wx", 0o600);
  try {
    await writeAll(handle, parts);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  for (let left = [...parts]; left.length > 0;) {
    let { bytesWritten } = await handle.writev(left);
    left = left.flatMap((part) => {
      const written = Math.min(bytesWritten, part.byteLength);
      bytesWritten -= written;
      return written < part.byteLength ? [part.subarray(written)] : [];
    });
  }
}

async function readRange(file: string, offset: number, sizeBytes: number): Promise<Uint8Array> {
  const handle = await fs.promises.open(file, "r");
  try {
    const bytes = Buffer.allocUnsafe(sizeBytes);
    for (let at = 0; at < sizeBytes;) {
      const { bytesRead } = await handle.read(bytes, at, sizeBytes - at, offset + at);
      if (bytesRead === 0) throw new StoreUnusableError(`the payload file ${file} is too short`);
      at += bytesRead;
    }
    return bytes;
  } finally {
    await handle.close();
  }
}
