/** The image of a worker: the base and a handler's directory, by the directory's own Dockerfile if it has one. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { bundleForImage } from "../../runtime/load/bundle-for-image.ts";
import type { BaseImage } from "./base-image.ts";
import type { BuildProgress } from "./build-progress.ts";
import { type ContextFile, type ContextParts, packContext } from "./build-context.ts";
import type { Engine } from "./engine.ts";
import { ImageError } from "./image-error.ts";
import { type KeptFiles, keptFiles } from "./kept-files.ts";
import { runBuild } from "./run-build.ts";
import type { UserProgram } from "./user-program.ts";
import { APP_DIRECTORY, CONTEXT, workerDockerfile } from "./worker-dockerfile.ts";

/** What is about the directory, or may hold secrets, stays out unless its .dockerignore takes it back with a `!`. */
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

/** What npm reads; taken for that alone. */
const NPM_FILES = ["package.json", "package-lock.json", ".npmrc"];

const BUNDLES = `${APP_DIRECTORY}/.sv-handler`;
const BUNDLED = /\.(?:ts|mts|tsx)$/u;

export interface WorkerOptions {
  /** Absolute. */
  readonly directory: string;
  /** In the directory; undefined if only the directory's own Dockerfile knows. */
  readonly program: UserProgram | undefined;
  readonly tag: string;
  readonly base: BaseImage;
  readonly signal: AbortSignal;
  readonly progress: (progress: BuildProgress) => void;
}

/** @throws ImageError; HandlerFileError when the handler cannot be bundled */
export async function buildWorker(
  engine: Engine,
  { directory, program, tag, base, signal, progress }: WorkerOptions,
): Promise<void> {
  const { parts, dockerfile, buildArgs, kept } = existsSync(path.join(directory, "Dockerfile"))
    ? await ownContext(directory, base)
    : await generatedContext(directory, program, base);
  await runBuild(engine.docker, {
    tag,
    context: packContext(parts),
    contextBytes: kept.sizeBytes,
    dockerfile,
    buildArgs,
    labels: {
      "org.opencontainers.image.title": path.basename(directory),
      "org.opencontainers.image.base.name": base.name,
    },
    signal,
    progress,
  });
}

interface Plan {
  readonly parts: ContextParts;
  readonly dockerfile: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly kept: KeptFiles;
}

/** As `docker build` would take it; a Dockerfile that installs packages itself is told whose npm to use. */
async function ownContext(directory: string, { nodeImage }: BaseImage): Promise<Plan> {
  const kept = await keptFiles(directory);
  const text = await readFile(path.join(directory, "Dockerfile"), "utf8");
  const buildArgs = /^ARG NODE_IMAGE\b/mu.test(text) ? { NODE_IMAGE: nodeImage } : {};
  // The Dockerfile is read even where .dockerignore keeps it from being copied.
  const paths = new Set([...kept.paths, "Dockerfile"]);
  const parts = { files: [], directories: [{ directory, paths, prefix: "" }] };
  return { parts, dockerfile: "Dockerfile", buildArgs, kept };
}

async function generatedContext(
  directory: string,
  program: UserProgram | undefined,
  base: BaseImage,
): Promise<Plan> {
  if (program === undefined) {
    throw new ImageError(`${directory} holds neither a handler nor a server nor a Dockerfile`);
  }
  const hasLock = existsSync(path.join(directory, "package-lock.json"));
  const kept = await keptFiles(directory, hasLock ? [...LEFT_OUT, "node_modules"] : LEFT_OUT);
  const { file, files } = await programIn(directory, program);
  const { kind } = program;
  const plan = { base: base.name, file, kind, npmImage: hasLock ? base.nodeImage : undefined };
  const npmFiles = NPM_FILES.filter((name) => existsSync(path.join(directory, name)));
  const app = { directory, paths: kept.paths, prefix: CONTEXT.root + APP_DIRECTORY };
  const packages = { directory, paths: new Set(npmFiles), prefix: CONTEXT.packages };
  const parts = {
    files: [{ path: "Dockerfile", content: workerDockerfile(plan) }, ...files],
    directories: hasLock ? [app, packages] : [app],
  };
  return { parts, dockerfile: "Dockerfile", buildArgs: {}, kept };
}

/** What the worker is given as its handler or server, and what is added to the context for that. */
async function programIn(
  directory: string,
  { file, kind }: UserProgram,
): Promise<{ readonly file: string; readonly files: readonly ContextFile[] }> {
  if (!BUNDLED.test(file)) {
    const place = path.relative(directory, file).replaceAll(path.sep, "/");
    return { file: path.posix.join(APP_DIRECTORY, place), files: [] };
  }
  const bundlePath = `${BUNDLES}/${kind}.mjs`;
  const places = { directory, imageDirectory: APP_DIRECTORY, bundlePath };
  const bundle = await bundleForImage(file, places);
  const files = bundle.map(({ path: place, content }) => ({
    path: CONTEXT.root + place,
    content,
  }));
  return { file: bundlePath, files };
}
