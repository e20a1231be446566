/** Builds a worker's image with all that it takes: the base where it is missing, the image, its template. */
import { ensureBase } from "./base-image.ts";
import { connectEngine, type Engine } from "./engine.ts";
import { imageAt } from "./image-facts.ts";
import { pushImage } from "./run-build.ts";
import { writeTemplate } from "./template-file.ts";
import type { UserProgram } from "./user-program.ts";
import { buildWorker } from "./worker-image.ts";

export interface BuildOptions {
  /** With the handler, or with a Dockerfile of its own; absolute. */
  readonly directory: string;
  readonly program: UserProgram | undefined;
  /** The image's name. */
  readonly tag: string;
  /** Of the template. */
  readonly name: string;
  readonly templateFile: string;
  readonly baseImage: string | undefined;
  readonly nodeImage: string | undefined;
  readonly rebuildBase: boolean;
  readonly push: boolean;
  readonly signal: AbortSignal;
  readonly report: BuildReport;
}

/** Told while it goes on. Durations in ms. */
export interface BuildReport {
  progress(line: string): void;
  base(facts: {
    readonly name: string;
    readonly isNew: boolean;
    readonly tookMs: number;
    readonly sizeBytes: number;
    /** What the base has beside the image that it is built on. */
    readonly addedBytes: number;
  }): void;
  worker(facts: {
    readonly name: string;
    readonly tookMs: number;
    readonly sizeBytes: number;
    /** What the worker has beside the base. */
    readonly addedBytes: number;
  }): void;
  pushed(facts: { readonly name: string; readonly tookMs: number }): void;
}

/** @throws ImageError; HandlerFileError when the handler cannot be bundled */
export async function buildImages(options: BuildOptions): Promise<void> {
  const { directory, program, tag, signal, report } = options;
  const engine = await connectEngine();
  const progress = (line: string): void => report.progress(line);
  const base = await timed(() =>
    ensureBase(engine, { ...options, rebuild: options.rebuildBase, progress }),
  );
  const baseBytes = await sizeOf(engine, base.value.name);
  report.base({
    ...base.value,
    tookMs: base.tookMs,
    sizeBytes: baseBytes,
    addedBytes: baseBytes - (await sizeOf(engine, base.value.baseImage)),
  });
  const worker = await timed(() =>
    buildWorker(engine, { directory, program, tag, base: base.value, signal, progress }),
  );
  const sizeBytes = await sizeOf(engine, tag);
  const addedBytes = sizeBytes - baseBytes;
  report.worker({ name: tag, tookMs: worker.tookMs, sizeBytes, addedBytes });
  const category = (await imageAt(engine.docker, tag))?.hasCuda === true ? "NVIDIA" : "CPU";
  await writeTemplate(options.templateFile, { name: options.name, imageName: tag, category });
  if (options.push) {
    const pushed = await timed(() => pushImage(engine.docker, tag, progress, signal));
    report.pushed({ name: tag, tookMs: pushed.tookMs });
  }
}

async function sizeOf({ docker }: Engine, name: string): Promise<number> {
  return (await imageAt(docker, name))?.sizeBytes ?? 0;
}

async function timed<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly tookMs: number }> {
  const startedAt = performance.now();
  const value = await work();
  return { value, tookMs: performance.now() - startedAt };
}
