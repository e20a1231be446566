/** Builds the image of a worker from the base and a handler's directory, by the directory's Dockerfile if it has one. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { BaseImage } from "./base-image.ts";
import type { BuildProgress } from "./engine/build-progress.ts";
import type { Secrets } from "./engine/buildkit-session.ts";
import { packContext } from "./context/build-context.ts";
import type { Engine } from "./engine/engine.ts";
import { ImageError } from "./image-error.ts";
import { checkImports } from "./engine/check-imports.ts";
import { withFixedTime } from "./engine/fixed-time.ts";
import { imageAt, tagImage } from "./engine/image-facts.ts";
import { removeNameless } from "./engine/stage-images.ts";
import { keptFiles } from "./context/kept-files.ts";
import { runBuild } from "./engine/run-build.ts";
import { sourceEpoch, sourceLabels } from "./source-labels.ts";
import type { UserProgram } from "./user-program.ts";
import { type WorkerContext, workerContext, type WorkerTerms } from "./context/worker-context.ts";

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

/** Whether the directory has a Dockerfile of its own. */
export function hasDockerfile(directory: string): boolean {
  return existsSync(path.join(directory, "Dockerfile"));
}

/**
 * Returns the secrets of the directory that are not in the image, unless the directory's Dockerfile makes it.
 *
 * @throws ImageError; HandlerFileError if the handler cannot be bundled
 */
export async function buildWorker(
  engine: Engine,
  { directory, program, tag, base, buildArgs, secrets, signal, progress }: WorkerOptions,
): Promise<readonly string[]> {
  if (secrets.size > 0 && !engine.hasBuildKit) {
    throw new ImageError(
      "the Docker engine has no BuildKit, which is needed to keep secrets out of an image; use Docker 18.09 or newer without DOCKER_BUILDKIT=0, or build without --secret",
    );
  }
  const plan = hasDockerfile(directory)
    ? await ownContext(directory, base, secrets)
    : await generatedContext(directory, program, { base, engine, secrets });
  const epoch = await sourceEpoch(directory);
  const built = await runBuild(engine, {
    name: tag,
    context: packContext(plan.parts),
    contextBytes: plan.kept.sizeBytes,
    dockerfile: "Dockerfile",
    buildArgs: { ...plan.nodeImage, ...buildArgs },
    epoch,
    removesStages: plan.stageHasSecrets,
    labels: {
      ...(await sourceLabels(directory)),
      "org.opencontainers.image.title": path.basename(directory),
      "org.opencontainers.image.base.name": base.name,
    },
    secrets: plan.secrets,
    signal,
    progress,
  });
  const id = plan.isGenerated ? await fixed(engine, built, base.name, epoch) : built;
  await checkImports(engine.docker, id, plan.imports, signal).catch(async (error: unknown) => {
    await removeNameless(engine.docker, id);
    throw error;
  });
  await tagImage(engine.docker, id, tag);
  return plan.kept.secrets;
}

async function fixed(
  { docker }: Engine,
  image: string,
  beneath: string,
  epoch: number,
): Promise<string> {
  const layersBeneath = (await imageAt(docker, beneath))?.layers.length ?? 0;
  return withFixedTime(docker, image, { epoch, beneath, layersBeneath });
}

interface Plan extends WorkerContext {
  /** Whether the Dockerfile is generated: the image then depends on the files alone. */
  readonly isGenerated: boolean;
  /** The image with npm, for a Dockerfile that asks for it. */
  readonly nodeImage: { readonly NODE_IMAGE?: string };
}

/** The context that `docker build` would send. A Dockerfile that installs packages itself gets the image with npm. */
async function ownContext(
  directory: string,
  { nodeImage }: BaseImage,
  secrets: Secrets,
): Promise<Plan> {
  const kept = await keptFiles(directory);
  const text = await readFile(path.join(directory, "Dockerfile"), "utf8");
  const asked = /^ARG NODE_IMAGE\b/mu.test(text) ? { NODE_IMAGE: nodeImage } : {};
  // The Dockerfile is sent even if .dockerignore excludes it.
  const paths = new Set([...kept.paths, "Dockerfile"]);
  const parts = { files: [], directories: [{ directory, paths, prefix: "" }] };
  const imports = { parent: "", imports: new Map() };
  return {
    ...{ parts, nodeImage: asked, kept, secrets, imports },
    ...{ stageHasSecrets: false, isGenerated: false },
  };
}

async function generatedContext(
  directory: string,
  program: UserProgram | undefined,
  terms: WorkerTerms,
): Promise<Plan> {
  if (program === undefined) {
    throw new ImageError(`${directory} holds neither a handler nor a server nor a Dockerfile`);
  }
  return { ...(await workerContext(directory, program, terms)), nodeImage: {}, isGenerated: true };
}
