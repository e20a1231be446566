/** Waits for the end of a container by the engine's events, and by asking now and then, for an event can be missed. */
import type { Clock } from "../../../core/time/clock.ts";
import {
  type ContainerEnd,
  type ContainerNews,
  EngineError,
  type EngineContainer,
} from "../container-engine.ts";
import { pause, within } from "../../../core/time/pause.ts";

/** How often a container is looked at of which nothing is heard. */
const LOOK_AGAIN_MS = 30_000;

/** How long the engine may fail to say how a container is that is to end, and how often it is asked. */
const PATIENCE_MS = 10_000;
const ASK_AGAIN_MS = 500;

/** How long after an end by SIGKILL the engine may tell that memory had run out: its report on the container may not know. */
const LATE_NEWS_MS = 1_000;
const KILLED = 137;

export interface ContainerWatchOptions {
  readonly clock: Clock;
  /** To be told what the engine's operations throw. */
  readonly failed: (error: unknown) => void;
  /** Called whenever the container was seen to run. @throws EngineError */
  readonly runs: () => Promise<void>;
  /** Whether it was to be killed, so that its end says nothing of memory and is not waited for as long. */
  readonly isKilled: () => boolean;
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
  #look: () => void = () => undefined;
  #wasAway = false;
  #failingSince: number | undefined;

  constructor(container: EngineContainer, options: ContainerWatchOptions) {
    this.#container = container;
    this.#options = options;
  }

  /** To be called when the container may have ended, whatever is heard of it. */
  look(): void {
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
    const isAwaited = contact !== "kept" && !this.#options.isKilled();
    return !isAwaited && now - this.#failingSince >= PATIENCE_MS;
  }

  async #hear(): Promise<SeenEnd> {
    const { clock, runs, isKilled } = this.#options;
    const hearing = new AbortController();
    let failure: EngineError | undefined;
    let news = Promise.withResolvers<void>();
    this.#look = () => news.resolve();
    const outOfMemory = Promise.withResolvers<void>();
    let ranOutOfMemory = false;
    const heard = (what: ContainerNews) => {
      if (what instanceof EngineError) failure ??= what;
      if (what === "out of memory") {
        ranOutOfMemory = true;
        outOfMemory.resolve();
      } else news.resolve();
    };
    try {
      await this.#container.listen(heard, hearing.signal);
      for (;;) {
        // What is heard while it is looked at has it looked at again.
        news = Promise.withResolvers<void>();
        if (failure !== undefined) throw failure;
        const end = await this.#container.ended();
        const wasAway = this.#wasAway;
        if (end !== undefined) {
          const mayBeMemory = end.exitCode === KILLED && !isKilled() && !wasAway;
          if (mayBeMemory && !end.oomKilled) await within(clock, LATE_NEWS_MS, outOfMemory.promise);
          return { ...end, oomKilled: end.oomKilled || ranOutOfMemory, wasAway };
        }
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
