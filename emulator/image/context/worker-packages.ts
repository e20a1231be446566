/** The packages of a worker's image: their directories, and a check of those that are not installed. */
import path from "node:path";
import { ImageError } from "../image-error.ts";
import type { KeptFiles } from "./kept-files.ts";
import type { Lock } from "./lock-file.ts";
import { OWN_PACKAGE, type PackageImport } from "./package-imports.ts";
import { APP_DIRECTORY } from "./worker-dockerfile.ts";

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

export function lacking(imported: PackageImport, root: string, what: string): string {
  const { packageName, specifier, importer } = imported;
  const name = packageName === OWN_PACKAGE ? specifier : (packageName ?? specifier);
  const place = path.relative(root, importer).replaceAll(path.sep, "/");
  const sentence = `the image would lack ${name}, which ${place} imports: ${what}, or write a Dockerfile`;
  return imported.hint === undefined ? sentence : `${sentence}; ${imported.hint}`;
}
