/** Makes images available on this machine. Workers that wait for the same image share one pull. */
import type { Template } from "../../core/resources/templates/template.ts";
import { readEngineMessage } from "../../docker/engine-message.ts";
import { LayerTransfer } from "../../docker/layer-transfer.ts";
import type { RegistryCredentials } from "../../core/resources/registry-auths/registry-auth.ts";
import type { ContainerEngine } from "./container-engine.ts";
import type { LaunchLog } from "../launcher.ts";
import { PLATFORM_ADVICE } from "../runs/start-causes.ts";
import { pullProblem } from "./docker-errors.ts";

/** Timeout of a pull without progress. The next worker tries again. */
const STALLED_MS = 300_000;

/** Maximum number of images whose platform is remembered. */
const MISMATCHES_MAX = 1_000;

export interface ImagePullerOptions {
  readonly engine: ContainerEngine;
  /** Credentials for the image's registry. Undefined for a template that names none. Rejects with a sentence. */
  readonly credentialsOf: (template: ImageReference) => Promise<RegistryCredentials | undefined>;
  readonly log: LaunchLog;
}

export type ImageReference = Pick<Template, "imageName" | "containerRegistryAuthId">;

interface Pull {
  readonly done: Promise<void>;
  readonly cancel: AbortController;
  waiting: number;
}

/** Whether one platform is the other one, perhaps with a variant. An unknown platform fits. */
function fits(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return true;
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}

/** The image is missing. The message is a sentence with the reason. */
class ImageMissing extends Error {
  override readonly name = "ImageMissing";
}

export class ImagePuller {
  readonly #options: ImagePullerOptions;
  readonly #pulls = new Map<string, Pull>();
  /** By image. */
  readonly #mismatches = new Map<string, string | undefined>();

  constructor(options: ImagePullerOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the template's image is on this machine. `signal` ends the wait, and the pull if no other worker waits for
   * it.
   *
   * @param platform undefined for the engine's own
   * @throws ImageMissing; EngineError; the reason of `signal`
   */
  async provide(
    template: ImageReference,
    platform: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const found = await this.#options.engine.findImage(template.imageName);
    if (found === undefined || !fits(found.platform, platform)) {
      signal.throwIfAborted();
      await this.#pulled(template, platform, signal);
      this.#mismatches.delete(template.imageName);
    }
    await this.#compare(template.imageName, platform);
  }

  /** A sentence about an image that was provided and is for another platform than the engine. */
  mismatchOf(imageName: string): string | undefined {
    return this.#mismatches.get(imageName);
  }

  /** Drops what is known about the engine. Call it when another engine may answer. */
  forget(): void {
    this.#mismatches.clear();
  }

  /** Looks once at each image. An engine that tells no platform has no mismatch. */
  async #compare(imageName: string, chosen: string | undefined): Promise<void> {
    if (this.#mismatches.has(imageName)) return;
    const { engine, log } = this.#options;
    const asked = [engine.findImage(imageName), engine.describe()] as const;
    const [image, own] = await Promise.all(asked).catch(() => []);
    const isOther = image !== undefined && own !== undefined && !fits(image.platform, own.platform);
    if (this.#mismatches.size >= MISMATCHES_MAX) this.#mismatches.clear();
    const mismatch = isOther
      ? `the image ${imageName} wants ${image.platform}, this engine is ${own.platform}`
      : undefined;
    this.#mismatches.set(imageName, mismatch);
    if (mismatch !== undefined && chosen === undefined)
      log.warn({ image: imageName }, `${mismatch}: ${PLATFORM_ADVICE}`);
  }

  async #pulled(
    template: ImageReference,
    platform: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const key = `${template.imageName} ${template.containerRegistryAuthId ?? ""} ${platform ?? ""}`;
    const pull = this.#pulls.get(key) ?? this.#begin(key, template, platform);
    pull.waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    try {
      await Promise.race([pull.done, left.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
      pull.waiting -= 1;
      if (pull.waiting === 0) this.#end(key, pull);
    }
  }

  #end(key: string, pull: Pull): void {
    pull.cancel.abort();
    if (this.#pulls.get(key) === pull) this.#pulls.delete(key);
  }

  #begin(key: string, template: ImageReference, platform: string | undefined): Pull {
    const cancel = new AbortController();
    const done = this.#pull(template, platform, cancel);
    // Waiting workers get the error, if there are any left.
    done.catch(() => undefined);
    const pull = { done, cancel, waiting: 0 };
    this.#pulls.set(key, pull);
    return pull;
  }

  async #pull(
    template: ImageReference,
    platform: string | undefined,
    cancel: AbortController,
  ): Promise<void> {
    const { engine, credentialsOf, log } = this.#options;
    const { imageName: image } = template;
    const credentials = await credentialsOf(template);
    log.info({ image }, `pulling the image ${image}`);
    const progress = new PullProgress();
    const giveUp = () =>
      cancel.abort(new PullFailed(`it made no progress for ${STALLED_MS / 1_000} s`));
    let timer = setTimeout(giveUp, STALLED_MS);
    try {
      const wanted = { name: image, credentials, platform };
      for await (const message of engine.pull(wanted, cancel.signal)) {
        clearTimeout(timer);
        timer = setTimeout(giveUp, STALLED_MS);
        const line = progress.take(message);
        if (line !== undefined) log.info({ image }, `pulling the image ${image}: ${line}`);
      }
    } catch (error) {
      const reason: unknown = cancel.signal.reason;
      const cause = reason instanceof PullFailed ? reason : error;
      const what = platform === undefined ? image : `${image} for ${platform}`;
      throw new ImageMissing(pullProblem(what, cause, credentials !== undefined), { cause });
    } finally {
      clearTimeout(timer);
    }
    log.info({ image }, `the image ${image} is here`);
  }
}

/** The engine reported a failure during the pull. */
export class PullFailed extends Error {
  override readonly name = "PullFailed";
}

/** Number of log lines for a pull. */
const STEPS = 10;
/** Minimum number of bytes between two log lines. Lines of smaller steps would pass too fast to be read. */
const STEP_MIN_BYTES = 1_000_000;

export class PullProgress {
  readonly #layers = new LayerTransfer();
  #toldBytes = 0;

  /** Returns a log line after about each tenth of the bytes. @throws PullFailed when the message is an error */
  take(message: unknown): string | undefined {
    const read = readEngineMessage(message);
    if (read.error !== undefined) throw new PullFailed(read.error);
    return this.#layers.note(read) ? this.#line() : undefined;
  }

  #line(): string | undefined {
    const { doneBytes, totalBytes, layerCount, thereCount } = this.#layers;
    if (doneBytes - this.#toldBytes < Math.max(totalBytes / STEPS, STEP_MIN_BYTES))
      return undefined;
    this.#toldBytes = doneBytes;
    return `${inMb(doneBytes)} of ${inMb(totalBytes)} MB, ${thereCount} of ${layerCount} layers unpacked`;
  }
}

function inMb(bytes: number): string {
  return String(Math.round(bytes / 1e6));
}
