/** Waits for the end of a container by the engine's events, and by asking now and then, for an event can be missed. */
import type { Clock } from "../../../core/time/clock.ts";
import { type ContainerEnd, EngineError, type EngineContainer } from "../container-engine.ts";
import { pause, within } from "../../../core/time/pause.ts";

/** How often a container is looked at of which nothing is heard. */
const LOOK_AGAIN_MS = 30_000;

/** How long the engine may fail to say how a container is that is to end, and how often it is asked. */
const PATIENCE_MS = 10_000;
const ASK_AGAIN_MS = 500;

export interface ContainerWatchOptions {
  readonly clock: Clock;
  /** To be told what the engine's operations throw. */
  readonly failed: (error: unknown) => void;
  /** Called whenever the container was seen to run. @throws EngineError */
  readonly runs: () => Promise<void>;
}

export interface SeenEnd extends ContainerEnd {
  /** The engine was away when it ended, and may have taken it along. */
  readonly wasAway: boolean;
}

/**
 * An engine that is away is waited for, because its containers may run on. Whether their workers live is for others to judge:
 * they have those killed that do not, and then patience counts from the first failure.
 */
export class ContainerWatch {
  readonly #container: EngineContainer;
  readonly #options: ContainerWatchOptions;
  #isKilled = false;
  #look: () => void = () => undefined;
  #wasAway = false;
  #failingSince: number | undefined;

  constructor(container: EngineContainer, options: ContainerWatchOptions) {
    this.#container = container;
    this.#options = options;
  }

  /** To be called when the container is to be killed, or should be by now: it is looked at. */
  expectKill(): void {
    this.#isKilled = true;
    this.#look();
  }

  /** @throws EngineError with status 404 for a container that is gone; another when patience has run out */
  async end(): Promise<SeenEnd> {
    for (;;) {
      try {
        return await this.#hear();
      } catch (error) {
        if (!(error instanceof EngineError) || error.status === 404) throw error;
        this.#options.failed(error);
        if (this.#isOverdue(error)) throw error;
      }
      await pause(this.#options.clock, ASK_AGAIN_MS);
    }
  }

  #isOverdue({ contact }: EngineError): boolean {
    const now = this.#options.clock.now();
    this.#failingSince ??= now;
    if (contact === "lost") this.#wasAway = true;
    const isAwaited = contact !== "kept" && !this.#isKilled;
    return !isAwaited && now - this.#failingSince >= PATIENCE_MS;
  }

  async #hear(): Promise<SeenEnd> {
    const { clock, runs } = this.#options;
    const hearing = new AbortController();
    let failure: EngineError | undefined;
    let news = Promise.withResolvers<void>();
    this.#look = () => news.resolve();
    const heard = (error?: EngineError) => {
      failure ??= error;
      news.resolve();
    };
    try {
      await this.#container.listen(heard, hearing.signal);
      for (;;) {
        // What is heard while it is looked at has it looked at again.
        news = Promise.withResolvers<void>();
        if (failure !== undefined) throw failure;
        const end = await this.#container.ended();
        if (end !== undefined) return { ...end, wasAway: this.#wasAway };
        await runs();
        this.#wasAway = false;
        this.#failingSince = undefined;
        await within(clock, LOOK_AGAIN_MS, news.promise);
      }
    } finally {
      hearing.abort();
    }
  }
}
