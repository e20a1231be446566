/** The packages of a worker's image: their directories, the files that the installation reads, and a check of the result. */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { shellWord } from "../shell-word.ts";
import { SENTENCE } from "../engine/build-progress.ts";
import type { ContextFile, ContextParts } from "./build-context.ts";
import { ImageError } from "../image-error.ts";
import type { KeptFiles } from "./kept-files.ts";
import { type Lock, MANIFEST } from "./lock-file.ts";
import { OWN_PACKAGE, type PackageImport } from "./package-imports.ts";
import { APP_DIRECTORY, CHECK, CONTEXT } from "./worker-dockerfile.ts";

/** Absolute path of a file in the image. Files keep their relative paths. */
export type PlaceOf = (file: string) => string;

/** The topmost directory becomes `/app`. */
export function placesFor(directory: string, lock: Lock | undefined): PlaceOf {
  const sources = lock?.members.map((member) => path.join(lock.root, member)) ?? [];
  const top = [...sources, ...(lock ? [lock.root] : [])].reduce(sharedDirectory, directory);
  return (file) =>
    path.posix.join(APP_DIRECTORY, path.relative(top, file).replaceAll(path.sep, "/"));
}

function sharedDirectory(one: string, other: string): string {
  const way = path.relative(one, other).split(path.sep);
  return path.resolve(one, ...way.filter((part) => part === ".."));
}

/** The lock file and all files that are read with it. Scripts of workspace packages do not run: their sources are missing. */
export function packageSources(lock: Lock, placeOf: PlaceOf): ContextParts {
  const there = (file: string): string =>
    path.posix.join(CONTEXT.packages, path.posix.relative(APP_DIRECTORY, placeOf(file)));
  const at = (file: string): string => path.join(lock.root, file);
  const manifests = lock.members.map((member) => path.join(at(member), MANIFEST));
  const isDirectory = (file: string): boolean => statSync(at(file)).isDirectory();
  return {
    files: [
      ...manifests.map((file) => ({ path: there(file), content: withoutScripts(file) })),
      ...lock.files
        .filter((file) => !isDirectory(file))
        .map((file) => ({ path: there(at(file)), content: readFileSync(at(file)) })),
    ],
    directories: lock.files
      .filter(isDirectory)
      .map((file) => ({ directory: at(file), prefix: there(at(file)) })),
  };
}

function withoutScripts(file: string): string {
  const { scripts: _, ...manifest } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly scripts?: object;
  };
  return JSON.stringify(manifest);
}

/** The script that fails with a sentence for each package that was not installed. */
export function installedCheck(
  imports: readonly PackageImport[],
  program: string,
  lock: Lock,
  placeOf: PlaceOf,
): ContextFile {
  const manifest = path.posix.join(lock.member, MANIFEST);
  const lines = imports.flatMap((imported) => {
    const { packageName, file, isSameForProgram } = imported;
    if (packageName === undefined || packageName === OWN_PACKAGE) return [];
    const places =
      isSameForProgram || file === undefined
        ? modulesOf(placeOf(program), packageName)
        : [placeOf(file)];
    const what = `${lock.name} installs it for no "dependencies" of ${manifest}; add it there`;
    const tests = places.map((place) => `[ -e ${shellWord(place)} ]`).join(" || ");
    return [`${tests} || lacks ${shellWord(lacking(imported, lock.root, what))}`];
  });
  const lacks = `lacks() { echo "${SENTENCE}$1" >&2; status=1; }`;
  const content = ["status=0", lacks, ...lines, 'exit "$status"', ""].join("\n");
  return { path: path.posix.join(CONTEXT.packages, CHECK), content };
}

/** The directories in which Node looks for a package. */
function modulesOf(module: string, packageName: string): readonly string[] {
  const folder = path.posix.dirname(module);
  const here = path.posix.join(folder, "node_modules", packageName);
  return folder === APP_DIRECTORY ? [here] : [here, ...modulesOf(folder, packageName)];
}

/**
 * Checks the imports that only the directory itself can provide.
 *
 * @throws ImageError that names what would be missing in the image
 */
export function checkBrought(
  imports: readonly PackageImport[],
  directory: string,
  kept: KeptFiles,
  lock: Lock | undefined,
): void {
  const lacks = imports.flatMap((imported) => {
    const { specifier, packageName, file } = imported;
    if (packageName === OWN_PACKAGE) {
      const isThere = specifier === OWN_PACKAGE || specifier === `${OWN_PACKAGE}/client`;
      const what = `images have ${OWN_PACKAGE} and ${OWN_PACKAGE}/client alone`;
      return isThere ? [] : [lacking(imported, directory, what)];
    }
    if (packageName !== undefined && lock !== undefined) return [];
    const place = path.relative(directory, file ?? "..").replaceAll(path.sep, "/");
    if (kept.paths.has(place)) return [];
    const what =
      packageName === undefined
        ? `it cannot be bundled and is outside of the copied directory; move it into an installed package, or into the directory`
        : `no lock file says how to install it, and it is not in the node_modules of the directory; make a package.json with it and a lock file (npm install ${packageName})`;
    return [lacking(imported, directory, what)];
  });
  if (lacks.length > 0) throw new ImageError(lacks.join("\n"));
}

function lacking(imported: PackageImport, root: string, what: string): string {
  const { packageName, specifier, importer } = imported;
  const name = packageName === OWN_PACKAGE ? specifier : (packageName ?? specifier);
  const place = path.relative(root, importer).replaceAll(path.sep, "/");
  const sentence = `the image would lack ${name}, which ${place} imports: ${what}, or write a Dockerfile`;
  return imported.hint === undefined ? sentence : `${sentence}; ${imported.hint}`;
}
