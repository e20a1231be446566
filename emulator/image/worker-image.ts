/** The image of a worker: the base and a handler's directory, by the directory's own Dockerfile if it has one. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { bundleForImage } from "../../runtime/load/bundle-for-image.ts";
import type { BaseImage } from "./base-image.ts";
import { type ContextFile, type ContextParts, packContext } from "./build-context.ts";
import type { Engine } from "./engine.ts";
import { ImageError } from "./image-error.ts";
import { type KeptFiles, keptFiles } from "./kept-files.ts";
import { runBuild } from "./run-build.ts";
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

const BUNDLE = `${APP_DIRECTORY}/.sv-handler/handler.mjs`;
const BUNDLED = /\.(?:ts|mts|tsx)$/u;

export interface WorkerOptions {
  /** Absolute. */
  readonly directory: string;
  /** The handler's module in it, absolute; undefined if only the directory's own Dockerfile knows. */
  readonly handlerFile: string | undefined;
  readonly tag: string;
  readonly base: BaseImage;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

/** @throws ImageError; HandlerFileError when the handler cannot be bundled */
export async function buildWorker(
  engine: Engine,
  { directory, handlerFile, tag, base, signal, progress }: WorkerOptions,
): Promise<void> {
  const { parts, dockerfile, buildArgs, kept } = existsSync(path.join(directory, "Dockerfile"))
    ? await ownContext(directory, base)
    : await generatedContext(directory, handlerFile, base);
  progress(`context: ${kept.fileCount} files, ${kept.sizeBytes} bytes`);
  await runBuild(engine.docker, {
    tag,
    context: packContext(parts),
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
  handlerFile: string | undefined,
  base: BaseImage,
): Promise<Plan> {
  if (handlerFile === undefined) {
    throw new ImageError(`${directory} holds neither a handler nor a Dockerfile`);
  }
  const hasLock = existsSync(path.join(directory, "package-lock.json"));
  const kept = await keptFiles(directory, hasLock ? [...LEFT_OUT, "node_modules"] : LEFT_OUT);
  const { handler, files } = await handlerIn(directory, handlerFile);
  const plan = { base: base.name, handler, npmImage: hasLock ? base.nodeImage : undefined };
  const npmFiles = NPM_FILES.filter((name) => existsSync(path.join(directory, name)));
  const app = { directory, paths: kept.paths, prefix: CONTEXT.root + APP_DIRECTORY };
  const packages = { directory, paths: new Set(npmFiles), prefix: CONTEXT.packages };
  const parts = {
    files: [{ path: "Dockerfile", content: workerDockerfile(plan) }, ...files],
    directories: hasLock ? [app, packages] : [app],
  };
  return { parts, dockerfile: "Dockerfile", buildArgs: {}, kept };
}

/** What the worker is given as its handler, and what is added to the context for that. */
async function handlerIn(
  directory: string,
  handlerFile: string,
): Promise<{ readonly handler: string; readonly files: readonly ContextFile[] }> {
  if (!BUNDLED.test(handlerFile)) {
    const place = path.relative(directory, handlerFile).replaceAll(path.sep, "/");
    return { handler: path.posix.join(APP_DIRECTORY, place), files: [] };
  }
  const places = { directory, imageDirectory: APP_DIRECTORY, bundlePath: BUNDLE };
  const bundle = await bundleForImage(handlerFile, places);
  const files = bundle.map(({ path: place, content }) => ({
    path: CONTEXT.root + place,
    content,
  }));
  return { handler: BUNDLE, files };
}
