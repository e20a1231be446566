/** One timer for many due times, always set to the next one. */
import type { PausableClock } from "../../core/pausable-clock.ts";

/** An entry with a due time on the timer's clock. */
export interface Due {
  readonly dueAt: number;
}

/** Maximum delay of a Node timer. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Adding and removing entries is cheap, because it happens for each job. The entries are searched only when the timer fires. */
export class DueTimer<T extends Due> {
  readonly clock: PausableClock;
  readonly #entries = new Set<T>();
  readonly #fire: (entry: T) => void;
  #timer: NodeJS.Timeout | undefined;
  #aimedAt = Infinity;

  /**
   * @param clock call `clockChanged` after each pause and resumption
   * @param fire called once for each due entry, never early; the entry is removed first
   */
  constructor(clock: PausableClock, fire: (entry: T) => void) {
    this.clock = clock;
    this.#fire = fire;
  }

  add(entry: T): void {
    this.#entries.add(entry);
    if (entry.dueAt < this.#aimedAt) this.#aim(entry.dueAt);
  }

  remove(entry: T): void {
    // The timer is not reset: one needless wake costs less than a reset for each job.
    this.#entries.delete(entry);
  }

  clear(): void {
    this.#entries.clear();
    this.#disarm();
  }

  clockChanged(): void {
    this.#disarm();
    this.#aimAtNext();
  }

  #aim(dueAt: number): void {
    if (this.clock.isPaused) return;
    // `clockChanged` may set the timer again.
    const waitMs = Math.ceil(dueAt - this.clock.now());
    clearTimeout(this.#timer);
    this.#aimedAt = dueAt;
    const longestMs = Math.min(TIMER_MAX_MS, this.clock.lookEveryMs);
    this.#timer = setTimeout(() => this.#due(), Math.min(longestMs, Math.max(0, waitMs)));
  }

  #aimAtNext(): void {
    let next = Infinity;
    for (const entry of this.#entries) next = Math.min(next, entry.dueAt);
    if (next < this.#aimedAt) this.#aim(next);
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#aimedAt = Infinity;
  }

  #due(): void {
    this.#disarm();
    const now = this.clock.now();
    const due: T[] = [];
    for (const entry of this.#entries) {
      if (entry.dueAt <= now) due.push(entry);
    }
    for (const entry of due) {
      // An earlier entry's `fire` may have removed this one.
      if (this.#entries.delete(entry)) this.#fire(entry);
    }
    this.#aimAtNext();
  }
}
