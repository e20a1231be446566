/**
 * Files below the root of a volume. A worker may put a link there at any time. No directory on the path of a file may be a link, and a
 * file that is a link must lead to a file in the volume. The check is made on the open file, not on its path.
 *
 * On a system with paths to open files (/proc/self/fd) a rename cannot lead elsewhere. Other systems use ordinary paths and check them
 * afterwards: a file is read only if it is found in the volume again, and work in a directory that has become another one fails. By
 * then the work may have been done elsewhere. A worker that restores everything between two checks is not noticed, except for reads
 * on macOS, which refuses links anywhere in a path.
 */
import { randomUUID } from "node:crypto";
import { type BigIntStats, constants, type Dirent, existsSync } from "node:fs";
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

/** Flag that refuses links: on macOS anywhere in the path (O_NOFOLLOW_ANY, which Node does not name), elsewhere as the last name. */
const NO_LINKS = process.platform === "darwin" ? 0x2000_0000 : constants.O_NOFOLLOW;
const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | NO_LINKS;
/** Flags of an open. Without O_NONBLOCK, the open of a pipe without a writer never returns. */
const OPEN_FILE = constants.O_RDONLY | constants.O_NONBLOCK;

/** Errors of the file system if there is no such file, or something else in its place. */
const NOTHING_THERE: ReadonlySet<string | undefined> = new Set([
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  "ENXIO",
  "ENAMETOOLONG",
]);

/** The file system has a file with a name that differs only in case or Unicode form, and cannot hold both. */
export class SpelledOtherwiseError extends Error {
  override readonly name = "SpelledOtherwiseError";
}

/** A path in the volume, as names from its root. */
export type Names = readonly string[];

export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** An open directory. Where the system has paths to open files, `path` leads to it after a rename too. */
interface Place extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly path: string;
}

export class VolumeDirectory {
  readonly #root: string;
  readonly #hasDescriptorPaths: boolean;
  /** Whether the file system ignores case or Unicode form in names: then each name is compared with those in the directory. */
  readonly #folds: boolean;

  private constructor(root: string, hasDescriptorPaths: boolean, folds: boolean) {
    this.#root = root;
    this.#hasDescriptorPaths = hasDescriptorPaths;
    this.#folds = folds;
  }

  /**
   * @param hasDescriptorPaths whether the system has paths to open files
   * @throws Error if it is not a directory
   */
  static async at(
    directory: string,
    hasDescriptorPaths: boolean = existsSync("/proc/self/fd"),
  ): Promise<VolumeDirectory> {
    const root = await realpath(directory);
    return new VolumeDirectory(root, hasDescriptorPaths, await foldsNames(root));
  }

  /** The open file of an object, which the caller closes; undefined if there is none. */
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
      return this.#within(parent, async (place) =>
        lstat(await this.#in(place, name), { bigint: true }),
      );
    });
    if (direct?.isFile() === true) return direct;
    if (direct?.isSymbolicLink() !== true) return undefined;
    const opened = await this.openFile(names);
    await opened?.handle.close();
    return opened?.stats;
  }

  /** The entries of a directory; none if it is not a directory. */
  async entries(names: Names): Promise<readonly Dirent<Buffer>[]> {
    const entries = await orNothing(async () =>
      this.#within(names, async (place) =>
        readdir(place.path, { withFileTypes: true, encoding: "buffer" }),
      ),
    );
    return entries ?? [];
  }

  /** Calls `write` with the path for a new file, in a directory that is made if it is missing, and returns its result. */
  async writeIn<T>(names: Names, name: string, write: (file: string) => Promise<T>): Promise<T> {
    return this.#within(names, async (place) => write(path.join(place.path, name)), true);
  }

  /** Moves a file durably, also over another file or an empty directory. Missing directories are made. */
  async move(from: Names, to: Names): Promise<void> {
    const source = split(from);
    const target = split(to);
    const move = async (sourcePlace: Place, targetPlace: Place) => {
      const file = await this.#in(targetPlace, target.name);
      const moving = async () => rename(path.join(sourcePlace.path, source.name), file);
      await moving().catch(async (error: unknown) => {
        if (codeOf(error) !== "EISDIR") throw error;
        // Directories without objects are removed, because they are not in the way.
        await rmdir(file);
        await moving();
      });
      await targetPlace.handle.sync();
    };
    await this.#within(source.parent, async (sourcePlace) =>
      this.#within(target.parent, async (targetPlace) => move(sourcePlace, targetPlace), true),
    );
  }

  async remove(names: Names): Promise<void> {
    await orNothing(async () => {
      const { parent, name } = split(names);
      await this.#within(parent, async (place) => {
        const file = await this.#in(place, name);
        if ((await lstat(file)).isDirectory()) return;
        await unlink(file);
        await place.handle.sync();
      });
    });
  }

  async clear(names: Names): Promise<void> {
    await orNothing(async () =>
      this.#within(names, async (place) => {
        for (const name of await readdir(place.path)) {
          await rm(path.join(place.path, name), { recursive: true, force: true });
        }
      }),
    );
  }

  /**
   * Calls `work` with an open directory.
   *
   * @throws Error if its path leads to another directory afterwards, on a system without paths to open files
   */
  async #within<T>(names: Names, work: (place: Place) => Promise<T>, make = false): Promise<T> {
    await using place = await this.#enter(names, make);
    const done = await work(place);
    if (this.#hasDescriptorPaths) return done;
    await using now = await this.#enter(names);
    if (await isSame(place.handle, now.handle)) return done;
    throw new Error(`the directory ${names.join("/")} of the volume was replaced meanwhile`);
  }

  /** Opens a directory name by name, without following links. */
  async #enter(names: Names, make = false): Promise<Place> {
    let place = await this.#placeAt(this.#root);
    for (const name of names) {
      await using outer = place;
      const directory = await this.#in(outer, name);
      if (make) await makeDirectory(directory, outer);
      place = await this.#placeAt(directory);
    }
    return place;
  }

  /** @throws SpelledOtherwiseError */
  async #in(place: Place, name: string): Promise<string> {
    if (this.#folds && (await isSpelledOtherwise(place.path, name)))
      throw new SpelledOtherwiseError(name);
    return path.join(place.path, name);
  }

  async #placeAt(directory: string): Promise<Place> {
    const handle = await open(directory, OPEN_DIRECTORY);
    return {
      handle,
      path: this.#hasDescriptorPaths ? descriptorPath(handle) : directory,
      [Symbol.asyncDispose]: () => handle.close(),
    };
  }

  /** Whether an open file lies in the volume, whichever link led to it. */
  async #holds(handle: FileHandle, file: string): Promise<boolean> {
    const isBelow = (real: string) => real.startsWith(this.#root + path.sep);
    if (this.#hasDescriptorPaths) return isBelow(await readlink(descriptorPath(handle)));
    const real = await realpath(file);
    if (!isBelow(real)) return false;
    await using again = await open(real, OPEN_FILE | NO_LINKS);
    return await isSame(handle, again);
  }
}

async function makeDirectory(directory: string, outer: Place): Promise<void> {
  try {
    await mkdir(directory);
    await outer.handle.sync();
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

async function isSame(one: FileHandle, other: FileHandle): Promise<boolean> {
  const [a, b] = [await one.stat({ bigint: true }), await other.stat({ bigint: true })];
  return a.dev === b.dev && a.ino === b.ino;
}

/** A path to an open file that a rename cannot change. */
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

/** Tries with a file of its own; false where none can be written. */
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
