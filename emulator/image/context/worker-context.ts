/** Makes the build context of a worker whose directory has no Dockerfile. */
import { realpathSync } from "node:fs";
import path from "node:path";
import { bundleForImage, type ImageBundle } from "../../../runtime/load/bundle-for-image.ts";
import type { BaseImage } from "../base-image.ts";
import type { Secrets } from "../engine/buildkit-session.ts";
import type { Engine } from "../engine/engine.ts";
import type { ImportCheck } from "../engine/check-imports.ts";
import { ImageError } from "../image-error.ts";
import type { UserProgram } from "../user-program.ts";
import { type ContextDirectory, type ContextParts, withParents } from "./build-context.ts";
import { imageFiles, type KeptFiles } from "./kept-files.ts";
import { findLock, type Lock } from "./lock-file.ts";
import { OWN_PACKAGE, type PackageImport, packageImports } from "./package-imports.ts";
import { packageInstallation } from "./package-installation.ts";
import { CONTEXT, workerDockerfile } from "./worker-dockerfile.ts";
import { checkBrought, type PlaceOf, placesFor } from "./worker-packages.ts";

export interface WorkerContext {
  readonly parts: ContextParts;
  readonly kept: KeptFiles;
  /** Secrets of the installation, by the ids of their mounts. */
  readonly secrets: Secrets;
  /** Whether the stage with the packages has secrets, because the builder cannot mount any. */
  readonly stageHasSecrets: boolean;
  /** Modules that the image imports besides the bundle. */
  readonly imports: ImportCheck;
}

export interface WorkerTerms {
  readonly base: BaseImage;
  readonly engine: Pick<Engine, "arch" | "hasBuildKit">;
  /** Secrets of `--secret`. */
  readonly secrets: Secrets;
}

const NEVER_AS_IT_IS = /\.(?:[cm]?ts|tsx)$/u;

/** @throws ImageError that names a package which would be missing in the image; HandlerFileError if the program cannot be bundled */
export async function workerContext(
  given: string,
  { file, kind }: UserProgram,
  { base, engine, secrets }: WorkerTerms,
): Promise<WorkerContext> {
  // With links in its path, all files would seem to be elsewhere.
  const directory = realpathSync(given);
  const program = path.join(directory, path.relative(given, file));
  const { lock, placeOf, bundle, unbundled } = await bundled(directory, { file: program, kind });
  if (lock === undefined && secrets.size > 0) throw new ImageError(unusedSecret(directory));
  const imports = [...unbundled.values()];
  const kept = await imageFiles(directory, lock === undefined ? [] : ["**/node_modules"]);
  checkBrought(imports, directory, kept, lock);
  const { inputPaths } = bundle;
  const files =
    NEVER_AS_IT_IS.test(program) || !areKept(inputPaths, directory, kept) ? bundle.files : [];
  const parent = files[0]?.path ?? placeOf(program);
  const packages =
    lock &&
    (await packageInstallation({ lock, placeOf, program, inputPaths, imports, engine, secrets }));
  const layers = layersOf(kept, directory, placeOf);
  const text = workerDockerfile({
    base: base.name,
    directory: placeOf(directory),
    ...{ file: parent, kind, hasData: layers.length > 1 },
    packages: packages && { image: base.nodeImage, secretIds: [...packages.secrets.keys()] },
  });
  return {
    kept,
    secrets: packages?.secrets ?? new Map(),
    stageHasSecrets: packages?.stageHasSecrets ?? false,
    imports: { parent, imports: importsToCheck(unbundled, directory) },
    parts: {
      files: [
        { path: "Dockerfile", content: text },
        ...files.map(({ path: place, content }) => ({ path: CONTEXT.code + place, content })),
        ...(packages?.parts.files ?? []),
      ],
      directories: [...layers, ...(packages?.parts.directories ?? [])],
    },
  };
}

/** Whether all modules are in the image without a bundle. */
function areKept(inputPaths: readonly string[], directory: string, { paths }: KeptFiles): boolean {
  return inputPaths.every((input) =>
    paths.has(path.relative(directory, input).replaceAll(path.sep, "/")),
  );
}

/** WebAssembly is not imported: it may import functions of the program. */
function importsToCheck(
  unbundled: Bundled["unbundled"],
  directory: string,
): ImportCheck["imports"] {
  const checked = [...unbundled].filter(
    ([specifier, { packageName }]) => packageName !== OWN_PACKAGE && !specifier.endsWith(".wasm"),
  );
  return new Map(
    checked.map(([specifier, { packageName = specifier, importer }]) => [
      specifier,
      { name: packageName, importer: path.relative(directory, importer) },
    ]),
  );
}

function unusedSecret(directory: string): string {
  return `${directory} has neither a lock file, to install packages with a secret, nor a Dockerfile that could use one (RUN --mount=type=secret)`;
}

/** Minimum size of a file in the layer below the packages. */
const DATA_MIN_BYTES = 1_000_000;
/** Endings of files that people change with the code. */
const IS_CODE = /\.(?:[cm]?[jt]sx?|json|map|md|txt|ya?ml|toml|sql|gql|graphql|html|css|sh|py)$/u;

/** The layer of the code, and before it that of models and other data, which a push need not send again when the code has changed. */
function layersOf(
  { paths, sizes }: KeptFiles,
  directory: string,
  placeOf: PlaceOf,
): readonly ContextDirectory[] {
  const isData = (file: string): boolean => {
    const sizeBytes = sizes.get(file);
    if (sizeBytes === undefined) return false;
    const isCode = sizeBytes < DATA_MIN_BYTES && IS_CODE.test(file);
    return !isCode || file.includes("node_modules/");
  };
  const layer = (name: string, files: readonly string[]): ContextDirectory => ({
    ...{ directory, paths: new Set(files) },
    prefix: name + placeOf(directory),
  });
  const data = [...paths].filter((file) => isData(file)).flatMap(withParents);
  const code = layer(
    CONTEXT.code,
    [...paths].filter((file) => !isData(file)),
  );
  return data.length === 0 ? [code] : [layer(CONTEXT.data, data), code];
}

interface Bundled {
  readonly lock: Lock | undefined;
  readonly placeOf: PlaceOf;
  readonly bundle: ImageBundle;
  /** The imports of the program that are not in its bundle, by their specifiers there. */
  readonly unbundled: ReadonlyMap<string, PackageImport>;
}

/** Ignores a lock file above the directory if there is nothing to install: it may belong to anything. */
async function bundled(directory: string, program: UserProgram): Promise<Bundled> {
  const lock = await findLock(directory);
  const bundle = await bundledFor(directory, program, lock);
  const isOwn = lock === undefined || path.join(lock.root, lock.member) === directory;
  const isUsed =
    isOwn || [...bundle.unbundled.values()].some(({ packageName }) => packageName !== OWN_PACKAGE);
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
  const used = [...unbundled].filter(([specifier]) => bundle.imports.includes(specifier));
  return { lock, placeOf, bundle, unbundled: new Map(used) };
}
