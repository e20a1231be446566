/** Walks the files of a volume in the order of their keys, and reads only the directories that can have the next ones. */
import { Buffer, isUtf8 } from "node:buffer";
import type { Dirent } from "node:fs";
import { afterAllWith } from "../../key-order.ts";
import type { ObjectInfo } from "../../object-store.ts";
import { KEY_MAX_BYTES } from "../../object-key.ts";
import type { Found, KeyCursor } from "../../paginate.ts";
import type { VolumeDirectory } from "./volume-directory.ts";
import { STAGING_NAME } from "./volume-path.ts";

/** A file with its key, or a directory with the common prefix of its files' keys. */
interface Step {
  readonly key: Buffer;
  readonly isDirectory: boolean;
}

/** A directory on the path, with its remaining entries. */
interface Level {
  readonly prefix: Buffer;
  readonly steps: readonly Step[];
  position: number;
}

export class VolumeWalk implements KeyCursor<ObjectInfo> {
  readonly #directory: VolumeDirectory;
  readonly #infoOf: (key: string) => Promise<ObjectInfo | undefined>;
  #levels: Level[] | undefined;

  /** @param infoOf returns undefined for a file that turns out to be no object */
  constructor(
    directory: VolumeDirectory,
    infoOf: (key: string) => Promise<ObjectInfo | undefined>,
  ) {
    this.#directory = directory;
    this.#infoOf = infoOf;
  }

  async next(atLeast: Buffer): Promise<Found<ObjectInfo> | undefined> {
    this.#levels ??= [await this.#levelAt(Buffer.alloc(0))];
    for (let level = this.#levels.at(-1); level; level = this.#levels.at(-1)) {
      const step = endsBefore(level, atLeast) ? undefined : level.steps[level.position];
      if (!step) {
        this.#levels.pop();
        continue;
      }
      level.position += 1;
      if (step.isDirectory) {
        if (Buffer.compare(afterAllWith(step.key), atLeast) > 0) {
          this.#levels.push(await this.#levelAt(step.key));
        }
        continue;
      }
      if (Buffer.compare(step.key, atLeast) < 0) continue;
      const item = await this.#infoOf(step.key.toString());
      if (item) return { key: step.key, item };
    }
    return undefined;
  }

  async #levelAt(prefix: Buffer): Promise<Level> {
    const names = prefix.length === 0 ? [] : prefix.toString().slice(0, -1).split("/");
    const entries = await this.#directory.entries(names);
    const steps = entries
      .filter((entry) => isObject(entry, prefix))
      .map((entry) => ({
        key: Buffer.concat([prefix, entry.name, Buffer.from(entry.isDirectory() ? "/" : "")]),
        isDirectory: entry.isDirectory(),
      }))
      .filter(({ key }) => key.length <= KEY_MAX_BYTES)
      .toSorted((a, b) => Buffer.compare(a.key, b.key));
    return { prefix, steps, position: 0 };
  }
}

function endsBefore({ prefix }: Level, atLeast: Buffer): boolean {
  return prefix.length > 0 && Buffer.compare(afterAllWith(prefix), atLeast) <= 0;
}

/** Also true for a directory that may hold an object, and a link that may lead to one. Names that are not UTF-8 are no keys. */
function isObject(entry: Dirent<Buffer>, prefix: Buffer): boolean {
  if (!isUtf8(entry.name)) return false;
  if (prefix.length === 0 && entry.name.toString() === STAGING_NAME) return false;
  return entry.isFile() || entry.isDirectory() || entry.isSymbolicLink();
}
