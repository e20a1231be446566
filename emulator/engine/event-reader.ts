/** One who follows the service's events, in bounded memory: who does not keep up is given up. */
import type { EngineContext } from "./context.ts";
import type { ServiceEvent } from "./event-feed.ts";

/** Events kept for a reader that is busy with earlier ones: more than a burst of submissions makes in a turn. */
const MOST_KEPT = 10_000;

/** A reader is told at least this often that it is still connected (real time). */
const QUIET_MS = 15_000;

export class EventReader implements Disposable {
  readonly #engine: EngineContext;
  readonly #behind = new AbortController();
  readonly #unfollow: () => void;
  #kept: ServiceEvent[] = [];
  #wake: (() => void) | undefined;

  /** Follows all endpoints, or only what concerns `endpointId`; an advance of the clock concerns all. */
  constructor(engine: EngineContext, endpointId: string | undefined) {
    this.#engine = engine;
    this.#unfollow = engine.events.follow((event) => {
      const isWanted =
        endpointId === undefined || event.type === "clock" || event.endpointId === endpointId;
      if (isWanted) this.#keep(event);
    });
  }

  /** Aborts when the reader has fallen so far behind that events were dropped: there are no more then. */
  get behind(): AbortSignal {
    return this.#behind.signal;
  }

  /** The events since the last call, as soon as there are any; none when it was quiet for 15 s or `signal` aborts. */
  async next(signal: AbortSignal): Promise<readonly ServiceEvent[]> {
    if (this.#kept.length === 0 && !signal.aborted) await this.#wait(signal);
    const kept = this.#kept;
    this.#kept = [];
    return kept;
  }

  [Symbol.dispose](): void {
    this.#unfollow();
  }

  #keep(event: ServiceEvent): void {
    if (this.#kept.length < MOST_KEPT) this.#kept.push(event);
    else {
      this.#unfollow();
      this.#kept = [];
      this.#behind.abort();
    }
    this.#wake?.();
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { realClock } = this.#engine;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    signal.addEventListener("abort", this.#wake, { once: true });
    const disarm = realClock.wakeAt(realClock.now() + QUIET_MS, resolve);
    await promise;
    disarm();
    signal.removeEventListener("abort", this.#wake);
    this.#wake = undefined;
  }
}
