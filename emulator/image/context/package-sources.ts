/** The files that an installation of packages reads, with the sources that install scripts need. */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import {
  type ContextDirectory,
  type ContextFile,
  type ContextParts,
  withParents,
} from "./build-context.ts";
import { imageFiles } from "./kept-files.ts";
import { DEVELOPMENT, type InstallScope, type Lock, MANIFEST } from "./lock-file.ts";
import { installScripts, manifestFor, readsCode, usedMembers } from "./own-scripts.ts";
import { type PlaceOf } from "./worker-packages.ts";
import { CONTEXT } from "./worker-dockerfile.ts";

export interface PackageSources {
  readonly parts: ContextParts;
  readonly command: string;
}

/** Maximum size of a file that generators among the install scripts read, such as a schema. */
const READ_MAX_BYTES = 1_000_000;
const IS_MODULE = /\.(?:[cm]?[jt]sx?|map|md)$/u;

/** @param inputPaths the modules in the bundle */
export async function packageSources(
  lock: Lock,
  inputPaths: readonly string[],
  placeOf: PlaceOf,
): Promise<PackageSources> {
  const at = (file: string): string => path.join(lock.root, file);
  const there = (file: string): string => inPackages(placeOf(at(file)));
  const used = usedMembers(lock, inputPaths);
  const running = used.filter((member) => Object.keys(installScripts(lock, member)).length > 0);
  const scope: InstallScope = {
    isWhole: running.length > 0 || lock.needsDevelopment,
    withRoot: running.includes(""),
  };
  const isDirectory = (file: string): boolean => statSync(at(file)).isDirectory();
  const manifests = lock.members.map((member) => ({
    path: there(path.posix.join(member, MANIFEST)),
    content: manifestFor(lock, member, running.includes(member)),
  }));
  const copied: readonly ContextFile[] = lock.files
    .filter((file) => !isDirectory(file))
    .map((file) => ({ path: there(file), content: readFileSync(at(file)) }));
  const development = lock.development.map((place) => `${place}\n`).join("");
  const files = [...manifests, ...copied, { path: there(DEVELOPMENT), content: development }];
  const names = new Set(files.map((file) => file.path));
  const read = await Promise.all(used.map((member) => readBy(lock, member, running)));
  const directories = lock.files
    .filter(isDirectory)
    .map((file): ContextDirectory => ({ directory: at(file), prefix: there(file) }));
  const sources = read.flatMap((paths, index): readonly ContextDirectory[] => {
    if (paths.size === 0) return [];
    const member = used[index] ?? "";
    const prefix = there(member);
    const own = [...paths].filter((file) => !names.has(path.posix.join(prefix, file)));
    return [{ directory: at(member), prefix, paths: new Set(own) }];
  });
  return {
    parts: { files, directories: [...directories, ...sources] },
    command: lock.command(scope),
  };
}

/** The path in the build context of a file that the installation reads at a place. */
export function inPackages(place: string): string {
  return path.posix.join(CONTEXT.packages, place);
}

/** Files of a package that its own scripts, or those of installed packages, may read. */
async function readBy(
  lock: Lock,
  member: string,
  running: readonly string[],
): Promise<ReadonlySet<string>> {
  const isRunning = running.includes(member);
  // The root of a workspace has many files that no package reads.
  const isRead = lock.runsScripts && (member !== "" || lock.member === "");
  if (!isRunning && !isRead) return new Set();
  const { paths, sizes } = await imageFiles(path.join(lock.root, member), ["**/node_modules"]);
  if (isRunning && readsCode(installScripts(lock, member))) return paths;
  const small = [...sizes].filter(
    ([file, sizeBytes]) => sizeBytes < READ_MAX_BYTES && !IS_MODULE.test(file),
  );
  return new Set(small.flatMap(([file]) => withParents(file)));
}
