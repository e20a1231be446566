/** Builds an image by the engine, and reports the progress. */
import type Docker from "dockerode";
import { pipeline, Readable, Transform } from "node:stream";
import { dial, openSession, type Secrets } from "./buildkit-session.ts";
import type { Engine } from "./engine.ts";
import type { Platform } from "../platform.ts";
import { type BuildProgress, EngineOutput } from "./build-progress.ts";
import { failedStep } from "./failed-step.ts";
import { failedImage, ImageError } from "../image-error.ts";
import { followEngine } from "./follow-engine.ts";
import { keepStages, removeNameless } from "./stage-images.ts";

export interface BuildRequest {
  /** Name of the image in messages. The image itself gets no name. */
  readonly name: string;
  readonly context: Readable;
  /** Approximate size of the context. */
  readonly contextBytes: number;
  /** Path of the Dockerfile in the context. */
  readonly dockerfile: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** Only BuildKit has secrets. */
  readonly secrets?: Secrets;
  /** Time of the image, in seconds since 1970, by which equal files make an equal image. Only BuildKit can set it. */
  readonly epoch: number;
  /** Whether images of stages are removed, because they have secrets. Default: false. */
  readonly removesStages?: boolean;
  /** Default: true. */
  readonly cache?: boolean;
  /** Whether the images in `FROM` are fetched even if the engine has them. Default: false. */
  readonly pull?: boolean;
  readonly signal: AbortSignal;
  readonly progress: (progress: BuildProgress) => void;
}

/**
 * Returns the id of the image.
 *
 * @throws ImageError that says why a step failed
 */
export async function runBuild(engine: Engine, request: BuildRequest): Promise<string> {
  const { docker, platform } = engine;
  const { name, removesStages = false } = request;
  const output = new EngineOutput("pull", request.progress);
  try {
    await build(engine, request, output);
  } finally {
    if (removesStages) {
      for (const left of output.leftovers) await removeNameless(docker, left);
    }
  }
  if (output.error === undefined && output.imageId !== undefined) {
    // The image is built, even if this fails.
    if (!removesStages) await keepStages(docker, name, output.stages).catch(() => undefined);
    return output.imageId;
  }
  const { error = "the engine named no image", lines, sentences } = output;
  const foreign = platform !== undefined && /exec format error/u.test([error, ...lines].join("\n"));
  const why = foreign ? [cannotRun(platform)] : failedStep(error, lines, sentences);
  throw new ImageError(`${name} cannot be built: ${why.join("\n  ")}`);
}

async function build(
  { docker, platform, hasBuildKit }: Engine,
  request: BuildRequest,
  output: EngineOutput,
): Promise<void> {
  const { name, context, dockerfile, buildArgs, labels, cache = true, pull = false } = request;
  const { secrets = new Map<string, Uint8Array>(), signal } = request;
  const options = {
    dockerfile,
    labels: { ...labels },
    nocache: !cache,
    pull,
    forcerm: true,
    ...(platform !== undefined && { platform }),
    abortSignal: signal,
  };
  const { promise: broken, reject } = Promise.withResolvers<never>();
  const sent = pipeline(context, counted(request), (error) => {
    if (error) reject(error);
  });
  using session = hasBuildKit ? await openSession(docker, secrets) : undefined;
  const buildargs = { SOURCE_DATE_EPOCH: `${request.epoch}`, ...buildArgs };
  const building =
    session === undefined
      ? docker.buildImage(sent, { ...options, buildargs: { ...buildArgs } })
      : buildWithBuildKit(docker, sent, { ...options, buildargs, session: session.id });
  const answer = await Promise.race([building, broken]).catch((error: unknown) => {
    throw failedImage(`${name} cannot be built`, error);
  });
  await followEngine(answer, output);
}

/** Starts the build as the engine's client does, but with this project's session. */
async function buildWithBuildKit(
  docker: Docker,
  file: Readable,
  { abortSignal, ...options }: Readonly<Record<string, unknown>>,
): Promise<NodeJS.ReadableStream> {
  const answer = await dial(docker, {
    ...{ path: "/build?", method: "POST", isStream: true, file, abortSignal },
    options: { ...options, version: "2" },
    statusCodes: { 200: true },
  });
  if (answer instanceof Readable) return answer;
  throw new Error("the Docker engine's answer is no stream");
}

function cannotRun(platform: Platform): string {
  const arch = platform.slice("linux/".length);
  return `the engine's machine runs no programs for ${platform}; build on one that does, or have it emulate them: docker run --privileged --rm tonistiigi/binfmt --install ${arch}`;
}

/** Passes the context on, and reports how much the engine has taken. */
function counted({ contextBytes, progress }: BuildRequest): Transform {
  let doneBytes = 0;
  return new Transform({
    transform(piece: Buffer, _, done) {
      doneBytes += piece.length;
      const totalBytes = Math.max(contextBytes, doneBytes);
      progress({ kind: "bytes", what: "context", doneBytes, totalBytes });
      done(undefined, piece);
    },
  });
}
