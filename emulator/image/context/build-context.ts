/** Packs the build context of an image: equal files make equal archives. */
import path from "node:path";
import type { Readable } from "node:stream";
import tarFs, { type Headers, type Pack } from "tar-fs";

declare module "tar-fs" {
  interface PackOptions {
    /** Sorts the entries by name; the types of the library omit it. */
    readonly sort?: boolean;
  }
}

/** Files of a directory, which are below `prefix` in the archive. */
export interface ContextDirectory {
  readonly directory: string;
  /** The files to take. Default: all. */
  readonly paths?: ReadonlySet<string>;
  readonly prefix: string;
}

/** A file that exists in the archive alone. */
export interface ContextFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

export interface ContextParts {
  readonly files: readonly ContextFile[];
  readonly directories: readonly ContextDirectory[];
}

/** Time of all files: some programs know no time before 1980. */
const FILE_TIME = new Date("1980-01-01T00:00:00Z");

/**
 * Owner, time and mode of a file do not depend on the machine, except for the right to execute: equal files become equal layers.
 * Files are read from the disk while the archive is sent.
 */
export function packContext({ files, directories }: ContextParts): Readable {
  const [first, ...others] = directories;
  if (first === undefined) throw new Error("a build context has at least one directory");
  const finish = (pack: Pack): void => {
    // Missing directories would get the time of the build.
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

/** A path and its parents, the topmost first. */
export function withParents(folder: string): readonly string[] {
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
