/** One timer for any number of due times: it is set to the next one. */
import type { PausableClock } from "../../core/pausable-clock.ts";

/** Something that is due at some moment of the timer's clock. */
export interface Due {
  readonly dueAt: number;
}

/** Maximum delay of a Node timer. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Entries are added and removed for each job, so both cost next to nothing; looking through them happens when due. */
export class DueTimer<T extends Due> {
  readonly clock: PausableClock;
  readonly #entries = new Set<T>();
  readonly #fire: (entry: T) => void;
  #timer: NodeJS.Timeout | undefined;
  #aimedAt = Infinity;

  /**
   * @param clock `clockChanged` is to be called whenever it was paused or resumed
   * @param fire called once for each entry when it is due, never before; the entry is removed first
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
    // The timer stays as it is: setting it anew for each job would cost more than waking once for nothing.
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
    // The clock may say that it changed.
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
      // An earlier one may have taken it away.
      if (this.#entries.delete(entry)) this.#fire(entry);
    }
    this.#aimAtNext();
  }
}
