/**
 * Files below the root of a volume. Workers may put any link there at any time, so no directory on the way to a file may
 * be one, and a file that is one must lead to a file in the volume; what is opened is checked, not what is about to be.
 */
import { randomUUID } from "node:crypto";
import type { BigIntStats, Dirent } from "node:fs";
import { constants } from "node:fs";
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  unlink,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { isSpelledOtherwise } from "../../../../runtime/storage/spelled-otherwise.ts";
import { codeOf } from "../../../sqlite/sqlite-error.ts";

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** A pipe without a writer would hold up an open for ever. */
const OPEN_FILE = constants.O_RDONLY | constants.O_NONBLOCK;

/** What the file system says where there is no such file, or something else in its place. */
const NOTHING_THERE: ReadonlySet<string | undefined> = new Set([
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  "ENXIO",
  "ENAMETOOLONG",
]);

/** The file system has something under the name that is called otherwise, and would not hold both. */
export class SpelledOtherwiseError extends Error {
  override readonly name = "SpelledOtherwiseError";
}

/** Names from the root of the volume on. */
export type Names = readonly string[];

export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** A directory held open. `path` leads to it whatever its name is meanwhile, where the system allows that. */
interface Place extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly path: string;
}

export class VolumeDirectory {
  readonly #root: string;
  /** Whether names are one to the file system that differ in case or Unicode form: then each is looked up among those that are there. */
  readonly #folds: boolean;

  private constructor(root: string, folds: boolean) {
    this.#root = root;
    this.#folds = folds;
  }

  /** @throws Error when it is no directory */
  static async at(directory: string): Promise<VolumeDirectory> {
    const root = await realpath(directory);
    return new VolumeDirectory(root, await foldsNames(root));
  }

  /** Undefined where there is no file that is an object. The handle is the caller's to close. */
  async openFile(names: Names): Promise<OpenFile | undefined> {
    return orNothing(async () => {
      const { parent, name } = split(names);
      await using place = await this.#enter(parent);
      const file = await this.#in(place, name);
      const handle = await open(file, OPEN_FILE);
      try {
        const stats = await handle.stat({ bigint: true });
        if (stats.isFile() && (await this.#holds(handle, file))) return { handle, stats };
      } catch (error) {
        await handle.close();
        throw error;
      }
      await handle.close();
      return undefined;
    });
  }

  async statFile(names: Names): Promise<BigIntStats | undefined> {
    const direct = await orNothing(async () => {
      const { parent, name } = split(names);
      await using place = await this.#enter(parent);
      return await lstat(await this.#in(place, name), { bigint: true });
    });
    if (direct?.isFile() === true) return direct;
    if (direct?.isSymbolicLink() !== true) return undefined;
    const opened = await this.openFile(names);
    await opened?.handle.close();
    return opened?.stats;
  }

  /** What is in a directory; nothing if it is none. */
  async entries(names: Names): Promise<readonly Dirent<Buffer>[]> {
    const entries = await orNothing(async () => {
      await using place = await this.#enter(names);
      return await readdir(place.path, { withFileTypes: true, encoding: "buffer" });
    });
    return entries ?? [];
  }

  /** Calls `write` with the path for a new file in a directory that is made if need be; hands on what it answers. */
  async writeIn<T>(names: Names, name: string, write: (file: string) => Promise<T>): Promise<T> {
    await using place = await this.#enter(names, true);
    return await write(path.join(place.path, name));
  }

  /** Puts a file in the place of another, or of an empty directory, durably. Directories on the way are made. */
  async move(from: Names, to: Names): Promise<void> {
    const source = split(from);
    const target = split(to);
    await using sourcePlace = await this.#enter(source.parent);
    await using targetPlace = await this.#enter(target.parent, true);
    const file = await this.#in(targetPlace, target.name);
    const moving = async () => rename(path.join(sourcePlace.path, source.name), file);
    await moving().catch(async (error: unknown) => {
      if (codeOf(error) !== "EISDIR") throw error;
      // Directories are no objects, so one that holds none is not in the way.
      await rmdir(file);
      await moving();
    });
    await targetPlace.handle.sync();
  }

  /** Does nothing where there is no file. */
  async remove(names: Names): Promise<void> {
    await orNothing(async () => {
      const { parent, name } = split(names);
      await using place = await this.#enter(parent);
      const file = await this.#in(place, name);
      if ((await lstat(file)).isDirectory()) return;
      await unlink(file);
      await place.handle.sync();
    });
  }

  /** Removes all there is in a directory. */
  async clear(names: Names): Promise<void> {
    await orNothing(async () => {
      await using place = await this.#enter(names);
      for (const name of await readdir(place.path)) {
        await rm(path.join(place.path, name), { recursive: true, force: true });
      }
    });
  }

  /** Opens a directory name by name, following no link. */
  async #enter(names: Names, make = false): Promise<Place> {
    let place = await placeAt(this.#root, this.#root);
    for (const name of names) {
      await using outer = place;
      place = await step(outer, await this.#in(outer, name), make);
    }
    return place;
  }

  /** @throws SpelledOtherwiseError */
  async #in(place: Place, name: string): Promise<string> {
    if (this.#folds && (await isSpelledOtherwise(place.path, name)))
      throw new SpelledOtherwiseError(name);
    return path.join(place.path, name);
  }

  /** Whether what was opened lies in the volume, whatever link led to it. */
  async #holds(handle: FileHandle, file: string): Promise<boolean> {
    const real = await readlink(descriptorPath(handle)).catch(async () => realpath(file));
    return real.startsWith(this.#root + path.sep);
  }
}

async function step(outer: Place, directory: string, make: boolean): Promise<Place> {
  if (make) {
    try {
      await mkdir(directory);
      await outer.handle.sync();
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
  return placeAt(directory, directory);
}

async function placeAt(directory: string, fallback: string): Promise<Place> {
  const handle = await open(directory, OPEN_DIRECTORY);
  return {
    handle,
    path: process.platform === "linux" ? descriptorPath(handle) : fallback,
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** On Linux, a path to what is open that no renaming can turn elsewhere. */
function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

function split(names: Names): { readonly parent: Names; readonly name: string } {
  return { parent: names.slice(0, -1), name: names.at(-1) ?? "" };
}

async function orNothing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (NOTHING_THERE.has(codeOf(error)) || error instanceof SpelledOtherwiseError)
      return undefined;
    throw error;
  }
}

/** False also where nothing can be written to find out. */
async function foldsNames(root: string): Promise<boolean> {
  const name = `.sv-é-${randomUUID()}`;
  const probe = path.join(root, name);
  try {
    await writeFile(probe, "", { flag: "wx" });
    const others = [name.toUpperCase(), name.normalize("NFD")];
    const found = await Promise.allSettled(others.map((other) => lstat(path.join(root, other))));
    return found.some(({ status }) => status === "fulfilled");
  } catch {
    return false;
  } finally {
    await rm(probe, { force: true });
  }
}
