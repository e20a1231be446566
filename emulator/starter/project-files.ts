/** Makes the files of a project of a starter's: its name is filled in, and the versions of what it depends on. Pure. */
import { endpointIdOf } from "./project-name.ts";

/** Stands in the starters' files for what the project is called. */
const PLACEHOLDER = "my-endpoint";

const MANIFEST = "package.json";

/** What a starter's package.json says beside much else. */
interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

export interface ProjectTerms {
  /** Of the npm package; with its scope if it has one. */
  readonly name: string;
  /** By package: the versions that this package was tested with, and what stands for itself. */
  readonly versions: ReadonlyMap<string, string>;
}

/** @param texts of the starter's files, by name */
export function projectFiles(
  texts: ReadonlyMap<string, string>,
  { name, versions }: ProjectTerms,
): ReadonlyMap<string, string> {
  const id = endpointIdOf(name);
  return new Map(
    texts.entries().map(([file, text]) => {
      const filled = text.replaceAll(PLACEHOLDER, id);
      return [file, file === MANIFEST ? manifestOf(filled, name, versions) : filled];
    }),
  );
}

/** The packages that a starter's projects depend on. */
export function packagesOf(texts: ReadonlyMap<string, string>): readonly string[] {
  const { dependencies, devDependencies } = readManifest(texts.get(MANIFEST));
  return Object.keys({ ...dependencies, ...devDependencies });
}

function manifestOf(text: string, name: string, versions: ReadonlyMap<string, string>): string {
  const manifest = readManifest(text);
  const filled = {
    ...manifest,
    name,
    dependencies: withVersions(manifest.dependencies, versions),
    devDependencies: withVersions(manifest.devDependencies, versions),
  };
  return `${JSON.stringify(filled, null, 2)}\n`;
}

function withVersions(packages: object, versions: ReadonlyMap<string, string>): object {
  return Object.fromEntries(
    Object.keys(packages).map((name) => {
      const version = versions.get(name);
      if (version === undefined) throw new Error(`a starter depends on ${name}, which we do not`);
      return [name, version];
    }),
  );
}

function readManifest(text = "{}"): Manifest {
  // The starters are our own.
  return { dependencies: {}, devDependencies: {}, ...(JSON.parse(text) as Partial<Manifest>) };
}
