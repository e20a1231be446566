/** Knows whether the engine answers: what was not there is asked for again until it is, and each time leftovers are removed. */
import { type ContainerEngine, EngineError } from "./container-engine.ts";
import { isLeftover, LABEL } from "./container-labels.ts";
import type { LaunchLog } from "./launch-log.ts";

/** How often an engine that does not answer is asked whether it is back. */
const ASK_AGAIN_MS = 5_000;

export interface EngineContactOptions {
  readonly engine: ContainerEngine;
  /** The value of the label by which this emulator's containers are known. */
  readonly emulator: string;
  /** Whether the emulator runs a worker of that id. */
  readonly isRun: (workerId: string) => boolean;
  /** Called when the engine answers that did not before. */
  readonly back: () => void;
  readonly log: LaunchLog;
  readonly askAgainMs?: number;
}

export class EngineContact {
  readonly #options: EngineContactOptions;
  #problem: string | undefined;
  #reached: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: EngineContactOptions) {
    this.#options = options;
  }

  /** A sentence on why the engine cannot be used now, as far as that is known. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Resolves when the engine answers and nothing of earlier runs is in the way. @throws EngineError */
  async reach(): Promise<void> {
    this.#reached ??= this.#greet();
    await this.#reached;
  }

  /** To be called with what the engine's operations throw: an engine that gave no answer is asked until it does. */
  failed(error: unknown): void {
    if (!(error instanceof EngineError) || error.status !== undefined) return;
    this.#reached = undefined;
    if (this.#problem === undefined) this.#options.log.warn({}, error.message);
    this.#problem = error.message;
    this.#askAgain();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #greet(): Promise<void> {
    const wasGone = this.#problem !== undefined;
    try {
      await this.#options.engine.greet();
    } catch (error) {
      this.failed(error);
      throw error;
    }
    this.#problem = undefined;
    await this.#clear();
    if (!wasGone) return;
    this.#options.log.info({}, "the Docker engine answers again");
    this.#options.back();
  }

  #askAgain(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    const { askAgainMs = ASK_AGAIN_MS } = this.#options;
    // What it throws it has made known itself.
    this.#timer = setTimeout(() => void this.reach().catch(() => undefined), askAgainMs);
    this.#timer.unref();
  }

  /** What cannot be removed stays: nobody may suffer from it. */
  async #clear(): Promise<void> {
    const { engine, emulator, isRun, log } = this.#options;
    try {
      const now = Date.now();
      const listed = await engine.list(LABEL.emulator);
      const leftovers = listed.filter((each) => isLeftover(each, emulator, isRun, now));
      await Promise.all(leftovers.map(({ id }) => engine.remove(id)));
      const count = leftovers.length;
      if (count > 0) log.info({ count }, "removed containers that killed emulators had left");
    } catch (error) {
      log.warn({ err: error }, "containers that killed emulators left could not all be removed");
    }
  }
}
