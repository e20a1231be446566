/** A request that is held open until there is something for it, its time is over, or whoever asked has gone. */
import type { Clock, Disarm } from "../core/time/clock.ts";

export interface LongPollOptions {
  readonly clock: Clock;
  /** How long it is held while nothing comes, ms. */
  readonly holdMs: number;
  /** Ends it when it fires. */
  readonly signal: AbortSignal;
  /** Called in the moment it ends, before anybody learns of what came. */
  readonly onEnd: () => void;
  /** Called when its time is over; answers for how much longer it is held, ms. Default: not at all. */
  readonly onTimeOver?: () => number;
}

export class LongPoll<Item> {
  /** Everything that came for it, once it is over. */
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

  /** True when one of what came is taken out again. */
  remove(isIt: (item: Item) => boolean): boolean {
    const { length } = this.#items;
    this.#items = this.#items.filter((item) => !isIt(item));
    return this.#items.length < length;
  }

  /** Takes out all that came. */
  empty(): readonly Item[] {
    return this.#items.splice(0);
  }

  /** Has it end after that time, whatever it was before. */
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
