/** Makes the files of a project from a starter: fills in its name and the versions of its dependencies. Pure. */
import { endpointIdOf } from "./project-name.ts";
import type { StarterTexts } from "./starters.ts";

/** Placeholder for the project's name in starters' files. */
const PLACEHOLDER = "my-endpoint";

const MANIFEST = "package.json";

/** The part of a starter's package.json that is filled in. */
interface Manifest {
  readonly name: string;
  readonly dependencies: Packages;
  readonly devDependencies: Packages;
}

type Packages = Readonly<Record<string, string>>;

export interface ProjectTerms {
  /** Name of the npm package, with its scope if it has one. */
  readonly name: string;
  /** The versions that this package was tested with, by package. This package's own entry is its source. */
  readonly versions: ReadonlyMap<string, string>;
}

export function projectFiles(
  texts: StarterTexts,
  terms: ProjectTerms,
): ReadonlyMap<string, string> {
  const id = endpointIdOf(terms.name);
  return new Map(
    texts.entries().map(([file, text]) => {
      const filled = text.replaceAll(PLACEHOLDER, id);
      return [file, file === MANIFEST ? manifestOf(filled, terms) : filled];
    }),
  );
}

/** The packages that a starter's projects depend on. */
export function packagesOf(texts: StarterTexts): readonly string[] {
  const { dependencies, devDependencies } = readManifest(texts.get(MANIFEST));
  return Object.keys({ ...dependencies, ...devDependencies });
}

function manifestOf(text: string, { name, versions }: ProjectTerms): string {
  const manifest = readManifest(text);
  const { dependencies, devDependencies } = manifest;
  const filled: Manifest = {
    ...manifest,
    name,
    dependencies: withVersions(dependencies, versions),
    devDependencies: withVersions(devDependencies, versions),
  };
  return `${JSON.stringify(filled, null, 2)}\n`;
}

function withVersions(packages: Packages, versions: ReadonlyMap<string, string>): Packages {
  return Object.fromEntries(
    Object.keys(packages).map((name) => {
      const version = versions.get(name);
      if (version === undefined)
        throw new Error(`a starter depends on ${name}, which this package does not depend on`);
      return [name, version];
    }),
  );
}

function readManifest(text: string | undefined): Manifest {
  if (text === undefined) throw new Error(`a starter lacks its ${MANIFEST}`);
  // The manifest is this package's own.
  return JSON.parse(text) as Manifest;
}
