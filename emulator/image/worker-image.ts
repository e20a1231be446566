/** Builds the image of a worker from the base and a handler's directory, by the directory's Dockerfile if it has one. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { BaseImage } from "./base-image.ts";
import type { BuildProgress } from "./engine/build-progress.ts";
import type { Secrets } from "./engine/buildkit-session.ts";
import { type ContextParts, packContext } from "./context/build-context.ts";
import type { Engine } from "./engine/engine.ts";
import { ImageError } from "./image-error.ts";
import { type KeptFiles, keptFiles } from "./context/kept-files.ts";
import { runBuild } from "./engine/run-build.ts";
import { sourceLabels } from "./source-labels.ts";
import type { UserProgram } from "./user-program.ts";
import { workerContext } from "./context/worker-context.ts";

export interface WorkerOptions {
  /** Absolute path. */
  readonly directory: string;
  /** The program in the directory; undefined if only the directory's Dockerfile names it. */
  readonly program: UserProgram | undefined;
  readonly tag: string;
  readonly base: BaseImage;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
  readonly progress: (progress: BuildProgress) => void;
}

/** @throws ImageError; HandlerFileError if the handler cannot be bundled */
export async function buildWorker(
  engine: Engine,
  { directory, program, tag, base, buildArgs, secrets, signal, progress }: WorkerOptions,
): Promise<void> {
  const hasOwn = existsSync(path.join(directory, "Dockerfile"));
  if (!hasOwn && secrets.size > 0) {
    throw new ImageError(
      `${directory} has no Dockerfile that could use a secret; write one with RUN --mount=type=secret`,
    );
  }
  const { parts, dockerfile, nodeImage, kept } = hasOwn
    ? await ownContext(directory, base)
    : await generatedContext(directory, program, base);
  await runBuild(engine, {
    tag,
    context: packContext(parts),
    contextBytes: kept.sizeBytes,
    dockerfile,
    buildArgs: { ...nodeImage, ...buildArgs },
    labels: {
      ...(await sourceLabels(directory)),
      "org.opencontainers.image.title": path.basename(directory),
      "org.opencontainers.image.base.name": base.name,
    },
    secrets,
    signal,
    progress,
  });
}

interface Plan {
  readonly parts: ContextParts;
  readonly dockerfile: string;
  /** The image with npm, for a Dockerfile that asks for it. */
  readonly nodeImage: { readonly NODE_IMAGE?: string };
  readonly kept: KeptFiles;
}

/** The context that `docker build` would send. A Dockerfile that installs packages itself gets the image with npm. */
async function ownContext(directory: string, { nodeImage }: BaseImage): Promise<Plan> {
  const kept = await keptFiles(directory);
  const text = await readFile(path.join(directory, "Dockerfile"), "utf8");
  const asked = /^ARG NODE_IMAGE\b/mu.test(text) ? { NODE_IMAGE: nodeImage } : {};
  // The Dockerfile is sent even if .dockerignore excludes it.
  const paths = new Set([...kept.paths, "Dockerfile"]);
  const parts = { files: [], directories: [{ directory, paths, prefix: "" }] };
  return { parts, dockerfile: "Dockerfile", nodeImage: asked, kept };
}

async function generatedContext(
  directory: string,
  program: UserProgram | undefined,
  base: BaseImage,
): Promise<Plan> {
  if (program === undefined) {
    throw new ImageError(`${directory} holds neither a handler nor a server nor a Dockerfile`);
  }
  const context = await workerContext(directory, program, base);
  return { ...context, dockerfile: "Dockerfile", nodeImage: {} };
}
