/** A request that is held open until there is an answer, its time is over, or its client has gone. */
import type { Clock, Disarm } from "../core/time/clock.ts";

export interface LongPollOptions {
  readonly clock: Clock;
  /** Maximum time without an answer, ms. */
  readonly holdMs: number;
  /** Ends the poll when it fires. */
  readonly signal: AbortSignal;
  /** Called when it ends, before `ended` resolves. */
  readonly onEnd: () => void;
  /** Called when its time is over. Returns an extension, ms. Default: 0. */
  readonly onTimeOver?: () => number;
}

export class LongPoll<Item> {
  readonly ended: Promise<readonly Item[]>;
  readonly #options: LongPollOptions;
  readonly #resolve: (items: readonly Item[]) => void;
  #items: Item[] = [];
  #isOver = false;
  #disarm: Disarm | undefined;

  constructor(options: LongPollOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<readonly Item[]>();
    this.ended = promise;
    this.#resolve = resolve;
    this.endIn(options.holdMs);
    options.signal.addEventListener("abort", this.end, { once: true });
    if (options.signal.aborted) this.end();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get count(): number {
    return this.#items.length;
  }

  add(...items: readonly Item[]): void {
    this.#items.push(...items);
  }

  /** Removes items. True if there were any. */
  remove(isIt: (item: Item) => boolean): boolean {
    const { length } = this.#items;
    this.#items = this.#items.filter((item) => !isIt(item));
    return this.#items.length < length;
  }

  empty(): readonly Item[] {
    return this.#items.splice(0);
  }

  /** Sets its end, ms from now. */
  endIn(ms: number): void {
    if (this.#isOver) return;
    const { clock } = this.#options;
    this.#disarm?.();
    this.#disarm = clock.wakeAt(clock.now() + ms, () => {
      const moreMs = this.#options.onTimeOver?.() ?? 0;
      if (moreMs > 0) this.endIn(moreMs);
      else this.end();
    });
  }

  /** Idempotent. */
  readonly end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#disarm?.();
    this.#options.signal.removeEventListener("abort", this.end);
    this.#options.onEnd();
    this.#resolve(this.#items);
  };
}
