/** The base image of workers: built from Dockerfile.base once for each version, architecture and parent image. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire, findPackageJSON } from "node:module";
import path from "node:path";
import { type ContextDirectory, packContext } from "./context/build-context.ts";
import type { BuildProgress } from "./engine/build-progress.ts";
import { type Engine } from "./engine/engine.ts";
import { ImageError } from "./image-error.ts";
import { imageAt, tagImage } from "./engine/image-facts.ts";
import { keptFiles } from "./context/kept-files.ts";
import { runBuild } from "./engine/run-build.ts";
import { FIRST_EPOCH, isRepository, NO_SOURCE, sourceLabels } from "./source-labels.ts";

/** Name of the base image in `FROM` of a worker's Dockerfile. */
const BASE_NAME = "sv-base";

const DOCKERFILE = "Dockerfile.base";
const PARTS = "dist/image";

export interface BaseOptions {
  /** Parent of the base image. Default: the one in Dockerfile.base, with CUDA. */
  readonly baseImage: string | undefined;
  /** Image with Node and npm. Default: the one in Dockerfile.base. */
  readonly nodeImage: string | undefined;
  /** Whether the base bundles TypeScript when a worker starts, for images that are made by a Dockerfile of the user. */
  readonly hasBundler: boolean;
  /** Whether to build an existing base image anew. */
  readonly rebuild: boolean;
  /** Whether to fetch its parents, and to build it anew if they have changed. */
  readonly pull: boolean;
  readonly signal: AbortSignal;
  readonly progress: (progress: BuildProgress) => void;
}

export interface BaseImage {
  /** Name with a tag that identifies the content. */
  readonly name: string;
  readonly baseImage: string;
  readonly nodeImage: string;
  /** False if the image existed already. */
  readonly isNew: boolean;
}

/** Builds the base image if it is missing, and tags the one with a bundler `sv-base`. @throws ImageError */
export async function ensureBase(engine: Engine, options: BaseOptions): Promise<BaseImage> {
  const root = packageRoot();
  const dockerfile = await readFile(path.join(root, DOCKERFILE), "utf8");
  const baseImage = options.baseImage ?? defaultOf(dockerfile, "BASE_IMAGE");
  const nodeImage = options.nodeImage ?? defaultOf(dockerfile, "NODE_IMAGE");
  const { paths, sizeBytes } = await keptFiles(path.join(root, PARTS));
  const version = versionOf(root);
  const { hasBundler, rebuild, pull, signal, progress } = options;
  const content = await digest(path.join(root, PARTS), [...paths].toSorted(), [
    ...[dockerfile, baseImage, nodeImage, engine.arch, ...(hasBundler ? [] : ["no bundler"])],
  ]);
  const name = `${BASE_NAME}:${version}-${content}`;
  const isNew = rebuild || pull || (await imageAt(engine.docker, name)) === undefined;
  if (isNew) {
    const bundler = hasBundler ? bundlerProgram(engine.arch) : NO_PROGRAM;
    const id = await runBuild(engine, {
      name,
      context: packContext({
        files: [{ path: DOCKERFILE, content: dockerfile }],
        directories: [{ directory: path.join(root, PARTS), prefix: PARTS }, ...bundler.directories],
      }),
      contextBytes: sizeBytes + bundler.sizeBytes,
      dockerfile: DOCKERFILE,
      buildArgs: {
        ...{ BASE_IMAGE: baseImage, NODE_IMAGE: nodeImage },
        BUNDLER: hasBundler ? "yes" : "no",
      },
      // Only a clone has a source. Otherwise empty labels replace those of the parent image.
      labels: (await isRepository(root)) ? await sourceLabels(root) : NO_SOURCE,
      epoch: FIRST_EPOCH,
      cache: !rebuild,
      ...{ pull, signal, progress },
    });
    await tagImage(engine.docker, id, name);
  }
  if (hasBundler) await tagImage(engine.docker, name, `${BASE_NAME}:latest`);
  return { name, baseImage, nodeImage, isNew };
}

/** The parent of the base image if no other is given, which is pinned in Dockerfile.base alone. */
export async function defaultBaseImage(): Promise<string> {
  return defaultOf(await readFile(path.join(packageRoot(), DOCKERFILE), "utf8"), "BASE_IMAGE");
}

/** The directory with package.json, in a clone as in the installed package. */
function packageRoot(): string {
  const manifest = findPackageJSON(import.meta.url);
  const root = manifest === undefined ? undefined : path.dirname(manifest);
  if (root !== undefined && existsSync(path.join(root, PARTS))) return root;
  throw new ImageError(`this installation of sv-runtime lacks ${PARTS}; install it again`);
}

function versionOf(root: string): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const hasVersion = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return hasVersion ? String(manifest.version) : "unknown";
}

/** The default of a build argument, which is pinned in the Dockerfile alone. */
function defaultOf(dockerfile: string, argument: string): string {
  const [, value] = new RegExp(`^ARG ${argument}=(\\S+)$`, "mu").exec(dockerfile) ?? [];
  if (value === undefined) throw new Error(`${DOCKERFILE} has no default for ${argument}`);
  return value;
}

async function digest(
  directory: string,
  paths: readonly string[],
  more: readonly string[],
): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([...more, ...paths]));
  for (const file of paths) {
    hash.update(await readFile(path.join(directory, file)).catch(() => ""));
  }
  return hash.digest("hex").slice(0, 12);
}

interface BundlerProgram {
  readonly directories: readonly ContextDirectory[];
  readonly sizeBytes: number;
}

const NO_PROGRAM: BundlerProgram = { directories: [], sizeBytes: 0 };

/** The bundler's program, if it is installed here for the engine's architecture. Else npm fetches it during the build. */
function bundlerProgram(arch: string): BundlerProgram {
  const name = `linux-${arch}`;
  try {
    const fromBundler = createRequire(createRequire(import.meta.url).resolve("esbuild"));
    const file = fromBundler.resolve(`@esbuild/${name}/bin/esbuild`);
    const directory = path.resolve(file, "../..");
    const paths = new Set(["bin", "bin/esbuild"]);
    const prefix = `node_modules/@esbuild/${name}`;
    return { directories: [{ directory, paths, prefix }], sizeBytes: statSync(file).size };
  } catch {
    return NO_PROGRAM;
  }
}
