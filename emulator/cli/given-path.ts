/** Examines the path that a person wrote, and suggests another one if nothing is there. */
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join, relative } from "node:path";
import { HANDLER_ENDINGS } from "../../runtime/load/prepare-handler.ts";
import { closestName } from "../../runtime/protocol/did-you-mean.ts";
import { failedUse, UsageError } from "./usage-error.ts";

/** File name, without extension, of a directory's handler. */
export const HANDLER_STEM = "handler";

/** File name, without extension, of a directory's HTTP server. It makes a load balancing endpoint if there is no handler. */
export const SERVER_STEM = "server";

/** File name of a directory's config, without extension. A directory has at most one. */
const CONFIG_STEM = "sv.config";
const CONFIG_ENDINGS = [".ts", ".mts", ".js", ".mjs", ".json"] as const;
export const CONFIG_NAME = `${CONFIG_STEM}.json`;

/** True for `sv.config.ts`, `sv.config.test.ts` and any JSON file. Other modules are handlers. */
export function isConfigPath(path: string): boolean {
  const ending = extname(path);
  if (ending === ".json") return true;
  return (
    basename(path).startsWith(`${CONFIG_STEM}.`) && CONFIG_ENDINGS.some((each) => each === ending)
  );
}

/** @throws UsageError if it cannot be examined, or is neither a file nor a directory */
export async function placeAt(
  path: string,
  cwd: string,
): Promise<"file" | "directory" | "nothing"> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return "directory";
    if (stats.isFile()) return "file";
  } catch (error) {
    if (nothingThere(error)) return "nothing";
    throw unreadable(path, cwd, error);
  }
  throw new UsageError(`${shownPath(path, cwd)} is neither a file nor a directory`);
}

/** The files of a directory that decide how it is served. All paths are absolute. */
export interface DirectoryContent {
  readonly config: string | undefined;
  readonly handler: string | undefined;
  readonly server: string | undefined;
  /** Subdirectories that may have a handler, in order of name. Hidden ones and installed packages are left out. */
  readonly directories: readonly string[];
}

/** @throws UsageError if the directory cannot be read, or has two configs */
export async function contentOf(directory: string, cwd: string): Promise<DirectoryContent> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    throw unreadable(directory, cwd, error);
  });
  const files = new Set(entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name));
  const pathOf = (name: string | undefined) =>
    name !== undefined && files.has(name) ? join(directory, name) : undefined;
  const moduleNamed = (stem: string) =>
    pathOf(HANDLER_ENDINGS.map((ending) => stem + ending).find((name) => files.has(name)));
  const directories = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith(".") && name !== "node_modules");
  return {
    config: pathOf(theOnlyConfig(files, directory, cwd)),
    handler: moduleNamed(HANDLER_STEM),
    server: moduleNamed(SERVER_STEM),
    directories: directories.toSorted().map((name) => join(directory, name)),
  };
}

function theOnlyConfig(
  files: ReadonlySet<string>,
  directory: string,
  cwd: string,
): string | undefined {
  const there = CONFIG_ENDINGS.map((ending) => CONFIG_STEM + ending).filter((name) =>
    files.has(name),
  );
  const [first, second] = there;
  if (second === undefined) return first;
  throw new UsageError(
    `${shownPath(directory, cwd)} has ${there.join(" and ")}: keep one, or name the one to use`,
  );
}

/** The sentence about a missing path. It suggests a similar one. */
export async function missingSentence(path: string, cwd: string): Promise<string> {
  const directory = dirname(path);
  const sentence = `${shownPath(path, cwd)} does not exist`;
  const names = await readdir(directory).catch(() => undefined);
  if (names === undefined) return `${sentence}; there is no directory ${shownPath(directory, cwd)}`;
  const written = basename(path);
  const meant = names.find((name) => stemOf(name) === written) ?? closestName(written, names);
  if (meant === undefined) return sentence;
  return `${sentence}; did you mean ${shownPath(join(directory, meant), cwd)}?`;
}

/** @throws UsageError that begins with `where`, for a file that is no handler module */
export function checkEnding(path: string, cwd: string, where = ""): void {
  if (HANDLER_ENDINGS.some((ending) => ending === extname(path))) return;
  throw new UsageError(
    `${where}${shownPath(path, cwd)} is no handler module; those end in ${HANDLER_ENDINGS.join(", ")}`,
  );
}

/** The file name of a path without its extension. */
export function stemOf(path: string): string {
  return basename(path, extname(path));
}

/** The path as a person in `cwd` would write it. */
export function shownPath(path: string, cwd: string): string {
  const fromHere = relative(cwd, path) || ".";
  return fromHere.length < path.length ? fromHere : path;
}

function nothingThere(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ENOENT" || error.code === "ENOTDIR";
}

function unreadable(path: string, cwd: string, error: unknown): UsageError {
  return failedUse(`${shownPath(path, cwd)} cannot be read`, error);
}
