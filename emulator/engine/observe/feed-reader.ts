/** A follower of a feed, in bounded memory: a follower that does not keep up is disconnected. */
import type { Clock } from "../../core/time/clock.ts";

/** Items kept for a reader that is busy with earlier ones: more than a burst of submissions makes in a turn. */
const MOST_KEPT = 10_000;

/** A reader is told at least this often that it is still connected (real time). */
const QUIET_MS = 15_000;

/** Calls its listener with each item until the function it answers is called. */
export type Follow<Item> = (listener: (item: Item) => void) => () => void;

export class FeedReader<Item> implements Disposable {
  readonly #realClock: Clock;
  readonly #behind = new AbortController();
  readonly #unfollow: () => void;
  #kept: Item[] = [];
  #wake: (() => void) | undefined;

  constructor(realClock: Clock, follow: Follow<Item>) {
    this.#realClock = realClock;
    this.#unfollow = follow((item) => this.#keep(item));
  }

  /** Aborts when the reader has fallen so far behind that items were dropped: there are no more then. */
  get behind(): AbortSignal {
    return this.#behind.signal;
  }

  /** The items since the last call, as soon as there are any; none when it was quiet for 15 s or `signal` aborts. */
  async next(signal: AbortSignal): Promise<readonly Item[]> {
    if (this.#kept.length === 0 && !signal.aborted) await this.#wait(signal);
    const kept = this.#kept;
    this.#kept = [];
    return kept;
  }

  [Symbol.dispose](): void {
    this.#unfollow();
  }

  #keep(item: Item): void {
    if (this.#kept.length < MOST_KEPT) this.#kept.push(item);
    else {
      this.#unfollow();
      this.#kept = [];
      this.#behind.abort();
    }
    this.#wake?.();
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    signal.addEventListener("abort", this.#wake, { once: true });
    const disarm = this.#realClock.wakeAt(this.#realClock.now() + QUIET_MS, resolve);
    await promise;
    disarm();
    signal.removeEventListener("abort", this.#wake);
    this.#wake = undefined;
  }
}
