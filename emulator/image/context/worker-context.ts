/** Makes the build context of a worker whose directory has no Dockerfile. */
import { realpathSync } from "node:fs";
import path from "node:path";
import { bundleForImage, type ImageBundle } from "../../../runtime/load/bundle-for-image.ts";
import type { BaseImage } from "../base-image.ts";
import type { ContextParts } from "./build-context.ts";
import { type KeptFiles, keptFiles } from "./kept-files.ts";
import { findLock, type Lock } from "./lock-file.ts";
import { OWN_PACKAGE, type PackageImport, packageImports } from "./package-imports.ts";
import type { UserProgram } from "../user-program.ts";
import { CONTEXT, workerDockerfile } from "./worker-dockerfile.ts";
import {
  checkBrought,
  installedCheck,
  packageSources,
  type PlaceOf,
  placesFor,
} from "./worker-packages.ts";

export interface WorkerContext {
  readonly parts: ContextParts;
  readonly kept: KeptFiles;
}

/** Files that concern the directory alone, or may hold secrets. A `!` in .dockerignore includes them. */
const LEFT_OUT = [
  ".git",
  ".sv",
  "**/.env",
  "**/.env.*",
  "**/.npmrc",
  "Dockerfile",
  ".dockerignore",
  "template.json",
];

const NEVER_AS_IT_IS = /\.(?:[cm]?ts|tsx)$/u;

/** @throws ImageError that names a package which would be missing in the image; HandlerFileError if the program cannot be bundled */
export async function workerContext(
  given: string,
  { file, kind }: UserProgram,
  base: BaseImage,
): Promise<WorkerContext> {
  // With links in its path, all files would seem to be elsewhere.
  const directory = realpathSync(given);
  const program = path.join(directory, path.relative(given, file));
  const { lock, placeOf, bundle, imports } = await bundled(directory, { file: program, kind });
  const leftOut = lock === undefined ? LEFT_OUT : [...LEFT_OUT, "**/node_modules"];
  const kept = await keptFiles(directory, leftOut);
  checkBrought(imports, directory, kept, lock);
  const isWhole = bundle.inputPaths.every((input) =>
    kept.paths.has(path.relative(directory, input).replaceAll(path.sep, "/")),
  );
  const files = isWhole && !NEVER_AS_IT_IS.test(program) ? [] : bundle.files;
  const text = workerDockerfile({
    base: base.name,
    directory: placeOf(directory),
    file: files[0]?.path ?? placeOf(program),
    kind,
    packages: lock && {
      image: base.nodeImage,
      directory: placeOf(lock.root),
      command: lock.command,
    },
  });
  const sources = lock && packageSources(lock, placeOf);
  const app = {
    ...{ directory, paths: kept.paths },
    prefix: CONTEXT.root + placeOf(directory),
  };
  return {
    kept,
    parts: {
      files: [
        { path: "Dockerfile", content: text },
        ...files.map(({ path: place, content }) => ({ path: CONTEXT.root + place, content })),
        ...(lock ? [installedCheck(imports, program, lock, placeOf)] : []),
        ...(sources?.files ?? []),
      ],
      directories: [app, ...(sources?.directories ?? [])],
    },
  };
}

interface Bundled {
  readonly lock: Lock | undefined;
  readonly placeOf: PlaceOf;
  readonly bundle: ImageBundle;
  /** Packages that the program imports when it runs. */
  readonly imports: readonly PackageImport[];
}

/** Ignores a lock file above the directory if there is nothing to install: it may belong to anything. */
async function bundled(directory: string, program: UserProgram): Promise<Bundled> {
  const lock = await findLock(directory);
  const bundle = await bundledFor(directory, program, lock);
  const isOwn = lock === undefined || path.join(lock.root, lock.member) === directory;
  const isUsed = isOwn || bundle.imports.some(({ packageName }) => packageName !== OWN_PACKAGE);
  return isUsed ? bundle : bundledFor(directory, program, undefined);
}

async function bundledFor(
  directory: string,
  { file, kind }: UserProgram,
  lock: Lock | undefined,
): Promise<Bundled> {
  const placeOf = placesFor(directory, lock);
  const { plugin, unbundled } = packageImports(file, placeOf);
  const bundlePath = `${placeOf(directory)}/.sv-handler/${kind}.mjs`;
  const bundle = await bundleForImage(file, { placeOf, bundlePath, imports: plugin });
  const imports = bundle.imports.flatMap((specifier) => unbundled.get(specifier) ?? []);
  return { lock, placeOf, bundle, imports };
}
