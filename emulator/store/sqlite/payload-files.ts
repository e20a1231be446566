/** Large payloads as files beside the database, durable before a row refers to them and removed after the last one did. */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { payloadNotStaged } from "../misuse.ts";
import { StoreUnusableError } from "../store.ts";
import { codeOf, fromFileSystem } from "./sqlite-error.ts";

/** The names this store gives; whatever else lies in the directory is left alone. */
const NAME = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export class PayloadFiles {
  readonly #root: string;
  readonly #madeDirectories = new Map<string, Promise<void>>();
  /** Written, but no committed row refers to them yet. */
  readonly #staged = new Set<string>();
  readonly #readers = new Map<string, number>();
  /** Files to be removed once nobody reads them any more. */
  readonly #removable = new Set<string>();
  readonly #work = new Set<Promise<unknown>>();

  /** `dataDirectory` must exist. */
  constructor(dataDirectory: string) {
    this.#root = path.join(dataDirectory, "payloads");
  }

  /** Removes the files that no row refers to: what a crash left between writing and committing. */
  sweep(isReferred: (name: string) => boolean): void {
    for (const directory of listDirectory(this.#root)) {
      for (const name of listDirectory(path.join(this.#root, directory))) {
        if (NAME.test(name) && !isReferred(name)) fs.rmSync(this.#pathOf(name), { force: true });
      }
    }
  }

  /** Writes a new file; resolves with its name when it is durable. */
  stage(bytes: Uint8Array): Promise<string> {
    return this.#track(this.#write(randomUUID(), bytes));
  }

  isStaged(name: string): boolean {
    return this.#staged.has(name);
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
    const directory = path.dirname(file);
    try {
      await this.#makeDirectory(directory);
      await writeDurably(file, bytes);
      await syncDirectory(directory);
    } catch (error) {
      await fs.promises.rm(file, { force: true }).catch(() => undefined);
      throw fromFileSystem(error, file);
    }
    this.#staged.add(name);
    return name;
  }

  #makeDirectory(directory: string): Promise<void> {
    let made = this.#madeDirectories.get(directory);
    if (made === undefined) {
      made = makeDurableDirectory(directory);
      this.#madeDirectories.set(directory, made);
      made.catch(() => this.#madeDirectories.delete(directory));
    }
    return made;
  }

  /** Spread over directories, since some file systems slow down with many files in one. */
  #pathOf(name: string): string {
    return path.join(this.#root, name.slice(0, 2), name);
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

async function makeDurableDirectory(directory: string): Promise<void> {
  const made = await fs.promises.mkdir(directory, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  const root = path.dirname(directory);
  await syncDirectory(root);
  await syncDirectory(path.dirname(root));
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

/** Without this a new file's name may be lost in a power failure although its content is not. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await fs.promises.open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function listDirectory(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
    throw fromFileSystem(error, directory);
  }
}
