/** Builds a worker's image: the base if it is missing, the image itself, its template. */
import type { BuildProgress } from "./engine/build-progress.ts";
import { ensureBase } from "./base-image.ts";
import type { Secrets } from "./engine/buildkit-session.ts";
import { connectEngine, type Engine } from "./engine/engine.ts";
import type { Platform } from "./platform.ts";
import { addedBytes, imageAt } from "./engine/image-facts.ts";
import { pushImage } from "./engine/push-image.ts";
import { writeTemplate } from "./template-file.ts";
import type { UserProgram } from "./user-program.ts";
import { buildWorker, hasDockerfile } from "./worker-image.ts";

export interface BuildOptions {
  /** Absolute path of the directory with the handler, or with a Dockerfile of its own. */
  readonly directory: string;
  readonly program: UserProgram | undefined;
  /** Name of the image. */
  readonly tag: string;
  readonly name: string;
  readonly templateFile: string;
  readonly baseImage: string | undefined;
  readonly nodeImage: string | undefined;
  readonly rebuildBase: boolean;
  readonly pull: boolean;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly secrets: Secrets;
  /** Default: the engine's own. */
  readonly platform: Platform | undefined;
  readonly push: boolean;
  readonly signal: AbortSignal;
  readonly report: BuildReport;
}

/** Default port of a server. */
const SERVER_PORT = "80/http";

/** Called while images are built. */
export interface BuildReport {
  begins(stage: BuildStage): void;
  progress(progress: BuildProgress): void;
  /** Called when a stage has ended without an error. */
  ends(stage: BuildStage, facts: StageFacts): void;
}

export type BuildStage = "base" | "image" | "push";

export interface StageFacts {
  readonly name: string;
  /** Undefined if the image existed already. */
  readonly tookMs: number | undefined;
  readonly sizeBytes: number;
  /** Size on top of the image `beneath`; undefined if the image was not built on it. */
  readonly addedBytes: number | undefined;
  readonly beneath: string;
}

/**
 * Returns the secrets of the directory that are not in the image.
 *
 * @throws ImageError; HandlerFileError if the handler cannot be bundled
 */
export async function buildImages(options: BuildOptions): Promise<readonly string[]> {
  const { tag, signal, report } = options;
  const engine = await connectEngine(options.platform);
  const progress = (made: BuildProgress): void => report.progress(made);
  report.begins("base");
  const base = await timed(() =>
    ensureBase(engine, {
      ...{ ...options, progress },
      rebuild: options.rebuildBase,
      hasBundler: hasDockerfile(options.directory),
    }),
  );
  const { name: baseName, baseImage, isNew } = base.value;
  const tookMs = isNew ? base.tookMs : undefined;
  report.ends("base", { ...(await factsOf(engine, baseName, baseImage)), tookMs });
  report.begins("image");
  const worker = await timed(() => buildWorker(engine, { ...options, base: base.value, progress }));
  const facts = await factsOf(engine, tag, baseName);
  report.ends("image", { ...facts, tookMs: worker.tookMs });
  const { hasCuda = false, isServer = false } = (await imageAt(engine.docker, tag)) ?? {};
  await writeTemplate(options.templateFile, {
    ...{ name: options.name, imageName: tag },
    category: hasCuda ? "NVIDIA" : "CPU",
    ports: isServer ? [SERVER_PORT] : [],
  });
  if (options.push) {
    report.begins("push");
    const pushed = await timed(() => pushImage(engine.docker, tag, progress, signal));
    report.ends("push", { ...facts, tookMs: pushed.tookMs });
  }
  return worker.value;
}

async function factsOf(
  { docker }: Engine,
  name: string,
  beneath: string,
): Promise<Omit<StageFacts, "tookMs">> {
  const [image, under] = await Promise.all([imageAt(docker, name), imageAt(docker, beneath)]);
  const sizeBytes = image?.sizeBytes ?? 0;
  return { name, beneath, sizeBytes, addedBytes: addedBytes(image, under) };
}

async function timed<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly tookMs: number }> {
  const startedAt = performance.now();
  const value = await work();
  return { value, tookMs: performance.now() - startedAt };
}
