/** A follower of a feed, in bounded memory: a follower that does not keep up is disconnected. */
import { pause } from "../../core/time/pause.ts";
import type { Clock } from "../../core/time/clock.ts";

/** Maximum number of items in a reader's buffer: more than a burst of submissions causes in one turn. */
const BUFFER_MAX = 10_000;

/** `next` returns at least this often, also without items (real time). */
const QUIET_MS = 15_000;

/** Calls its listener with each item until the returned function is called. */
export type Follow<Item> = (listener: (item: Item) => void) => () => void;

export class FeedReader<Item> implements Disposable {
  readonly #realClock: Clock;
  readonly #behind = new AbortController();
  readonly #unfollow: () => void;
  #buffer: Item[] = [];
  #wake: (() => void) | undefined;

  constructor(realClock: Clock, follow: Follow<Item>) {
    this.#realClock = realClock;
    this.#unfollow = follow((item) => this.#add(item));
  }

  /** Aborts when the reader fell so far behind that items were dropped; no more items follow. */
  get behind(): AbortSignal {
    return this.#behind.signal;
  }

  /** The items since the last call, as soon as there are any; none after 15 s without items, or when `signal` aborts. */
  async next(signal: AbortSignal): Promise<readonly Item[]> {
    if (this.#buffer.length === 0 && !signal.aborted) await this.#wait(signal);
    const items = this.#buffer;
    this.#buffer = [];
    return items;
  }

  [Symbol.dispose](): void {
    this.#unfollow();
  }

  #add(item: Item): void {
    if (this.#buffer.length < BUFFER_MAX) this.#buffer.push(item);
    else {
      this.#unfollow();
      this.#buffer = [];
      this.#behind.abort();
    }
    this.#wake?.();
  }

  async #wait(signal: AbortSignal): Promise<void> {
    await pause(this.#realClock, QUIET_MS, signal, (wake) => (this.#wake = wake));
    this.#wake = undefined;
  }
}
