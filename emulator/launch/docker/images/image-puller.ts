/** Makes an image available on this machine: each is pulled once, however many workers wait for it. */
import type { Template } from "../../../core/resources/template.ts";
import type { RegistryCredentials } from "../../../core/resources/registry-auth.ts";
import type { ContainerEngine } from "../container-engine.ts";
import type { LaunchLog } from "../../launcher.ts";
import { pullProblem } from "../docker-errors.ts";
import { PullFailed, PullProgress } from "./pull-progress.ts";

/** A pull of which nothing is heard for so long is given up; the next worker tries again. */
const STALLED_MS = 300_000;

export interface ImagePullerOptions {
  readonly engine: ContainerEngine;
  /** Undefined for a template that names none. Rejects with a sentence where they cannot be had. */
  readonly credentialsOf: (template: ImageReference) => Promise<RegistryCredentials | undefined>;
  readonly log: LaunchLog;
  /** Default: 5 minutes. */
  readonly stalledMs?: number;
}

/** What a container is made of, and who may have it. */
export type ImageReference = Pick<Template, "imageName" | "containerRegistryAuthId">;

interface Pull {
  readonly done: Promise<void>;
  readonly cancel: AbortController;
  waiting: number;
}

/** The message is a sentence on why there is no such image here. */
class ImageMissing extends Error {
  override readonly name = "ImageMissing";
}

export class ImagePuller {
  readonly #options: ImagePullerOptions;
  readonly #pulls = new Map<string, Pull>();

  constructor(options: ImagePullerOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the template's image is there. `signal` ends the waiting, and the pull itself when nobody waits for it any more.
   *
   * @throws ImageMissing; EngineError; what `signal` was aborted with
   */
  async provide(template: ImageReference, signal: AbortSignal): Promise<void> {
    if (await this.#options.engine.hasImage(template.imageName)) return;
    signal.throwIfAborted();
    const key = `${template.imageName} ${template.containerRegistryAuthId ?? ""}`;
    const pull = this.#pulls.get(key) ?? this.#begin(key, template);
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

  #begin(key: string, template: ImageReference): Pull {
    const cancel = new AbortController();
    const done = this.#pull(template, cancel);
    // Whoever waits gets the error; there may be nobody any more.
    done.catch(() => undefined);
    const pull = { done, cancel, waiting: 0 };
    this.#pulls.set(key, pull);
    return pull;
  }

  async #pull(template: ImageReference, cancel: AbortController): Promise<void> {
    const { engine, credentialsOf, log, stalledMs = STALLED_MS } = this.#options;
    const { imageName: image } = template;
    const credentials = await credentialsOf(template);
    log.info({ image }, `pulling the image ${image}`);
    const progress = new PullProgress();
    const giveUp = () =>
      cancel.abort(new PullFailed(`nothing was heard of it for ${stalledMs / 1_000} s`));
    let timer = setTimeout(giveUp, stalledMs);
    try {
      for await (const message of engine.pull(image, credentials, cancel.signal)) {
        clearTimeout(timer);
        timer = setTimeout(giveUp, stalledMs);
        const line = progress.take(message);
        if (line !== undefined) log.info({ image }, `pulling the image ${image}: ${line}`);
      }
    } catch (error) {
      const reason: unknown = cancel.signal.reason;
      const cause = reason instanceof PullFailed ? reason : error;
      throw new ImageMissing(pullProblem(image, cause, credentials !== undefined), { cause });
    } finally {
      clearTimeout(timer);
    }
    log.info({ image }, `the image ${image} is here`);
  }
}
