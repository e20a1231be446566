/** This package itself as projects see it: where its starters lie, and which versions it was tested with. */
import { readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import path from "node:path";

export interface OwnPackage {
  /** Absolute. */
  readonly root: string;
  readonly name: string;
  readonly version: string;
  /** By package: of what it depends on itself, for its development too. */
  readonly versions: ReadonlyMap<string, string>;
}

export async function readOwnPackage(): Promise<OwnPackage> {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) throw new Error("this installation of sv-runtime lacks its package.json");
  const manifest = JSON.parse(await readFile(file, "utf8")) as Readonly<
    Pick<OwnPackage, "name" | "version"> &
      Record<"dependencies" | "devDependencies", Readonly<Record<string, string>>>
  >;
  const { name, version, dependencies, devDependencies } = manifest;
  const versions = new Map(Object.entries({ ...devDependencies, ...dependencies }));
  return { root: path.dirname(file), name, version, versions };
}

/** The versions that a project in that directory depends on, of this package too. */
export function versionsFor(own: OwnPackage, directory: string): ReadonlyMap<string, string> {
  const isInstalled = own.root.split(path.sep).includes("node_modules");
  // A clone stands for itself: no registry need have what is in it.
  const clone = `file:${path.relative(directory, own.root).replaceAll(path.sep, "/")}`;
  return new Map(own.versions).set(own.name, isInstalled ? own.version : clone);
}
