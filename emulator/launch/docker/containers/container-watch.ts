/** Waits for the end of a container by the engine's events, and asks at intervals too, because an event can be missed. */
import type { Clock } from "../../../core/time/clock.ts";
import {
  type ContainerEnd,
  type ContainerNews,
  EngineError,
  type EngineContainer,
} from "../container-engine.ts";
import { pause, within } from "../../../core/time/pause.ts";

/** Interval at which a container without events is looked at. */
const LOOK_AGAIN_MS = 30_000;

/** Timeout of an engine that fails to tell the state of a container which is to end, and interval at which it is asked. */
const PATIENCE_MS = 10_000;
const ASK_AGAIN_MS = 500;

/** Timeout after an end by SIGKILL in which an event may tell that memory ran out: the container's state may omit it. */
const LATE_NEWS_MS = 1_000;
/** Exit code of a program that SIGKILL ended. */
const KILLED = 137;

export interface ContainerWatchOptions {
  readonly clock: Clock;
  /** Takes note of what the engine's operations throw. */
  readonly failed: (error: unknown) => void;
  /** Called each time the container is seen to run. @throws EngineError */
  readonly runs: () => Promise<void>;
  /** Whether the container was asked to die: then its end says nothing of memory, and an engine that is away is not awaited. */
  readonly isKilled: () => boolean;
}

export interface SeenEnd extends ContainerEnd {
  /** The engine was away when the container ended, and may be the cause. */
  readonly wasAway: boolean;
}

/**
 * Waits for an engine that is away, because its containers may continue. The service kills a worker that is silent; from then on,
 * the timeout counts from the engine's first failure.
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

  /** Call it when the container may have ended without an event. */
  look(): void {
    this.#look();
  }

  /** @throws EngineError with status 404 for a container that is gone; any other after the timeout */
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
        // News that arrives during a look causes another look.
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
