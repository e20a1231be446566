/** Large payloads as files beside the database, durable before a row refers to them and removed after the last one did. */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { payloadNotStaged } from "../misuse.ts";
import { StoreUnusableError } from "../store.ts";
import { DirectorySync, makeDirectoryDurably } from "./durable-directory.ts";
import { codeOf, fromFileSystem } from "./sqlite-error.ts";

/** The names this store gives; whatever else lies in the directory is left alone. */
const NAME = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export class PayloadFiles {
  readonly #root: string;
  readonly #names: DirectorySync;
  /** Written, but no committed row refers to them yet. */
  readonly #staged = new Set<string>();
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

  /** Writes a new file; resolves with its name when it is durable. */
  stage(bytes: Uint8Array): Promise<string> {
    return this.#track(this.#write(randomUUID(), bytes));
  }

  /** From now on a row of the running step refers to the file. */
  take(name: string): void {
    if (!this.#staged.delete(name)) throw payloadNotStaged(name);
  }

  /** The step that took the file was undone. */
  giveBack(name: string): void {
    this.#staged.add(name);
  }

  async discard(name: string): Promise<void> {
    if (this.#staged.delete(name)) await this.remove(name);
  }

  /**
   * The content of a file a committed row refers to. It is not removed before this has settled, provided that it was
   * called in the same turn in which the row was read.
   */
  async read(name: string): Promise<Uint8Array> {
    this.#readers.set(name, (this.#readers.get(name) ?? 0) + 1);
    try {
      return await fs.promises.readFile(this.#pathOf(name));
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

  async #write(name: string, bytes: Uint8Array): Promise<string> {
    const file = this.#pathOf(name);
    try {
      await writeDurably(file, bytes);
      await this.#names.sync();
    } catch (error) {
      await fs.promises.rm(file, { force: true }).catch(() => undefined);
      throw fromFileSystem(error, file);
    }
    this.#staged.add(name);
    return name;
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

async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await fs.promises.open(file, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
