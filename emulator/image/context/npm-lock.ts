/** Reads the lock file of npm. */
import { statSync } from "node:fs";
import path from "node:path";

/** The members of a `package-lock.json` that are read here. */
export interface NpmLock {
  readonly packages?: Readonly<Record<string, NpmEntry>>;
}

interface NpmEntry {
  readonly dev?: true;
  readonly link?: true;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Paths of the packages that are for development alone. */
export function developmentOf(text: string): readonly string[] {
  const { packages = {} } = JSON.parse(text) as NpmLock;
  return Object.entries(packages).flatMap(([place, { dev }]) => (dev === true ? [place] : []));
}

/** Entries below `node_modules` are installed packages. Links among them lead to packages of the workspace. */
export function readNpmLock(
  root: string,
  text: string,
): { readonly members: readonly string[]; readonly files: readonly string[] } {
  const { packages = {} } = JSON.parse(text) as NpmLock;
  const entries = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  const files = entries.flatMap(([place, { link, resolved = "" }]) => {
    if (link === true || !resolved.startsWith("file:")) return [];
    const file = resolved.slice("file:".length);
    if (!statSync(path.join(root, file), { throwIfNoEntry: false })?.isDirectory()) return [file];
    throw new Error(
      `${place} is a copy of ${file}, which is not in the image; link it: npm install --install-links=false`,
    );
  });
  const sources = entries.filter(([place]) => !place.split("/").includes("node_modules"));
  return { members: sources.map(([place]) => place), files };
}
