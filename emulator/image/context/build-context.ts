/** What an engine is sent to build an image from: an archive that is the same whenever its files are the same. */
import path from "node:path";
import type { Readable } from "node:stream";
import tarFs, { type Headers, type Pack } from "tar-fs";

declare module "tar-fs" {
  interface PackOptions {
    /** In order of name; its types do not know that. */
    readonly sort?: boolean;
  }
}

/** Files of a directory, put below `prefix` in the archive. */
export interface ContextDirectory {
  readonly directory: string;
  /** Those that are taken; all without it. */
  readonly paths?: ReadonlySet<string>;
  readonly prefix: string;
}

/** A file that is on no disk. */
export interface ContextFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

export interface ContextParts {
  readonly files: readonly ContextFile[];
  readonly directories: readonly ContextDirectory[];
}

/** Before 1980 there are programs that know no time. */
const FILE_TIME = new Date("1980-01-01T00:00:00Z");

/**
 * Owner, time and rights of a file do not depend on the machine, except for whether it can be executed: equal files become
 * equal layers. The archive is read from the disk as it is taken.
 */
export function packContext({ files, directories }: ContextParts): Readable {
  const [first, ...others] = directories;
  if (first === undefined) throw new Error("a build context has at least one directory");
  const finish = (pack: Pack): void => {
    // Otherwise they would be made with the time of the build.
    const deepest = [
      ...files.map((file) => path.posix.dirname(file.path)),
      ...directories.map(({ prefix }) => path.posix.normalize(prefix)),
    ];
    for (const folder of new Set(deepest.flatMap(withParents))) {
      pack.entry(plain({ name: folder, type: "directory", mode: 0o755 }), "");
    }
    for (const { path: name, content } of files) {
      pack.entry(plain({ name, type: "file", mode: 0o644 }), Buffer.from(content));
    }
    pack.finalize();
  };
  return addDirectories(first, others, finish);
}

/** The farthest up first. */
function withParents(folder: string): readonly string[] {
  const parent = path.posix.dirname(folder);
  return parent === "." ? [folder] : [...withParents(parent), folder];
}

function addDirectories(
  { directory, paths, prefix }: ContextDirectory,
  others: readonly ContextDirectory[],
  finish: (pack: Pack) => void,
  onto?: Pack,
): Pack {
  const [next, ...rest] = others;
  return tarFs.pack(directory, {
    sort: true,
    strict: false,
    ignore: (file) =>
      paths?.has(path.relative(directory, file).replaceAll(path.sep, "/")) === false,
    map: (header) => plain({ ...header, name: path.posix.join(prefix, header.name) }),
    finalize: false,
    finish: (pack) => {
      if (next === undefined) finish(pack);
      else addDirectories(next, rest, finish, pack);
    },
    ...(onto !== undefined && { pack: onto }),
  });
}

function plain<H extends Pick<Headers, "name" | "type" | "mode">>(header: H) {
  const canExecute = header.type !== "file" || (header.mode & 0o111) !== 0;
  return { ...header, mode: canExecute ? 0o755 : 0o644, mtime: FILE_TIME, uid: 0, gid: 0 };
}
