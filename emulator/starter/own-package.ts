/** This package as projects see it: the directory of its starters, and the versions that it was tested with. */
import { readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import path from "node:path";

export interface OwnPackage {
  /** Absolute. */
  readonly root: string;
  readonly name: string;
  readonly version: string;
  /** Versions of its own dependencies by package, including those for development. */
  readonly versions: ReadonlyMap<string, string>;
  /** Absolute path of the archive that it was installed from; undefined if it came from a registry or was not installed. */
  readonly archive: string | undefined;
}

export async function readOwnPackage(): Promise<OwnPackage> {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) throw new Error("this installation of sv-runtime lacks its package.json");
  const manifest = JSON.parse(await readFile(file, "utf8")) as Manifest;
  const { name, version, devDependencies } = manifest;
  const root = path.dirname(file);
  const versions = new Map(Object.entries({ ...devDependencies }));
  return { root, name, version, versions, archive: await archiveOf(root, name) };
}

type Manifest = Readonly<
  Pick<OwnPackage, "name" | "version"> &
    Partial<Record<"dependencies" | "devDependencies", Readonly<Record<string, string>>>>
>;

/** The archive named in the package.json of the project, or of the cache of `npx`, that this package is installed in. */
async function archiveOf(root: string, name: string): Promise<string | undefined> {
  const home = path.resolve(root, "../..");
  const text = await readFile(path.join(home, "package.json"), "utf8").catch(() => "{}");
  const { dependencies, devDependencies } = JSON.parse(text) as Partial<Manifest>;
  const [, file] =
    /^file:(.+\.tgz)$/u.exec({ ...devDependencies, ...dependencies }[name] ?? "") ?? [];
  return file === undefined ? undefined : path.resolve(home, file);
}

/** The versions of dependencies for a project in that directory, including this package's. */
export function versionsFor(own: OwnPackage, directory: string): ReadonlyMap<string, string> {
  const isInstalled = own.root.split(path.sep).includes("node_modules");
  // A clone and an archive are used directly, because their content need not be in a registry.
  const place = own.archive ?? (isInstalled ? undefined : own.root);
  const file = place && `file:${path.relative(directory, place).replaceAll(path.sep, "/")}`;
  return new Map(own.versions).set(own.name, file ?? own.version);
}
