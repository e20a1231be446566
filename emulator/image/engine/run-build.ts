/** Builds or pushes an image by the engine, and reports the progress. */
import type Docker from "dockerode";
import { createInterface } from "node:readline";
import { pipeline, Readable, Transform } from "node:stream";
import { dial, openSession, type Secrets } from "./buildkit-session.ts";
import type { Engine } from "./engine.ts";
import type { Platform } from "../platform.ts";
import { readEngineMessage } from "../../docker/engine-message.ts";
import { type BuildProgress, EngineOutput } from "./build-progress.ts";
import { registryOf } from "../../docker/registry-of.ts";
import { loginFor } from "./docker-login.ts";
import { failedImage, ImageError } from "../image-error.ts";
import { imageAt } from "./image-facts.ts";

export interface BuildRequest {
  readonly tag: string;
  readonly context: Readable;
  /** Approximate size of the context. */
  readonly contextBytes: number;
  /** Path of the Dockerfile in the context. */
  readonly dockerfile: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** With secrets, BuildKit builds the image. */
  readonly secrets?: Secrets;
  /** Default: true. */
  readonly cache?: boolean;
  readonly signal: AbortSignal;
  readonly progress: (progress: BuildProgress) => void;
}

/** @throws ImageError with the end of the output if a step fails */
export async function runBuild(engine: Engine, request: BuildRequest): Promise<void> {
  const { docker, platform } = engine;
  const { tag, context, dockerfile, buildArgs, labels, cache = true, signal } = request;
  const { secrets = new Map<string, Uint8Array>() } = request;
  const options = {
    t: tag,
    dockerfile,
    buildargs: { ...buildArgs },
    labels: { ...labels },
    nocache: !cache,
    forcerm: true,
    ...(platform !== undefined && { platform }),
    abortSignal: signal,
  };
  const output = new EngineOutput("pull", request.progress);
  const { promise: broken, reject } = Promise.withResolvers<never>();
  const sent = pipeline(context, counted(request), (error) => {
    if (error) reject(error);
  });
  using session = secrets.size > 0 ? await openSession(docker, secrets) : undefined;
  const building =
    session === undefined
      ? docker.buildImage(sent, options)
      : buildWithBuildKit(docker, sent, { ...options, session: session.id });
  const answer = await Promise.race([building, broken]).catch((error: unknown) => {
    throw failedImage(`${tag} cannot be built`, error);
  });
  await followed(answer, output);
  if (output.error === undefined) {
    // The image is built, even if this fails.
    await keepStages(docker, tag, output.stages).catch(() => undefined);
    return;
  }
  const foreign = platform !== undefined && /exec format error/u.test(output.tail.join("\n"));
  const sentences = foreign ? [cannotRun(platform)] : output.sentences;
  const why = sentences.length > 0 ? sentences : [output.error, ...output.tail];
  throw new ImageError(`${tag} cannot be built: ${why.join("\n  ")}`);
}

/** Starts the build as the engine's client does, but with this project's session. */
async function buildWithBuildKit(
  docker: Docker,
  file: Readable,
  { abortSignal, ...options }: { readonly abortSignal?: AbortSignal; readonly session: string },
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

/** Pushes an image with the credentials of `docker login`. @throws ImageError if the registry does not accept it */
export async function pushImage(
  docker: Docker,
  tag: string,
  progress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const output = new EngineOutput("push", progress);
  const registry = registryOf(tag);
  const login = await loginFor(registry);
  // An engine refuses a push without credentials, but accepts empty ones.
  const options = { authconfig: login ?? { username: "", password: "", serveraddress: "" } };
  const answer = await docker
    .getImage(tag)
    .push({ ...options, abortSignal: signal })
    .catch((error: unknown) => {
      throw failedImage(`${tag} cannot be pushed`, error);
    });
  await followed(answer, output);
  if (output.error === undefined) return;
  throw new ImageError(
    `${tag} cannot be pushed: ${output.error}. ${login ? "The login came from" : "If the registry needs a login, use"}: docker login ${registry}`,
  );
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

/** Reads the engine's answer, which has one message per line. */
async function followed(answer: NodeJS.ReadableStream, output: EngineOutput): Promise<void> {
  try {
    for await (const line of createInterface({ input: answer })) {
      if (line !== "") output.add(readEngineMessage(JSON.parse(line)));
    }
  } catch (error) {
    throw failedImage("the Docker engine stopped reporting progress", error);
  }
}

/** Name of the images of stages: one for each stage of each image that was built here. */
const STAGES = "sv-stages";

/**
 * Names the images that have no name yet, and removes the ones that had these names before.
 *
 * @param stages ids of the images
 */
async function keepStages(docker: Docker, image: string, stages: readonly string[]): Promise<void> {
  for (const [at, stage] of stages.entries()) {
    const made = docker.getImage(stage);
    const { RepoTags: tags, RepoDigests: digests } = await made.inspect();
    if (tags.length + digests.length > 0) continue;
    const tag = `${image.replaceAll(/[^\w.-]+/gu, "-")}-${at + 1}`.slice(-TAG_MAX_CHARACTERS);
    const name = tag.replace(/^[.-]+/u, "");
    const former = await imageAt(docker, `${STAGES}:${name}`);
    await made.tag({ repo: STAGES, tag: name });
    // The image stays if another one was built on it.
    if (former !== undefined)
      await docker
        .getImage(former.id)
        .remove()
        .catch(() => undefined);
  }
}

const TAG_MAX_CHARACTERS = 128;
