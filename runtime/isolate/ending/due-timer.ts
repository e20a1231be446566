/** One timer for any number of due moments: it aims at the next one. */

/** Something that is due at some moment of `performance.now()`. */
export interface Due {
  readonly dueAt: number;
}

/** Longest delay a Node timer takes. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Entries are added and removed for each job, so both cost next to nothing; looking through them happens when due. */
export class DueTimer<T extends Due> {
  readonly #entries = new Set<T>();
  readonly #fire: (entry: T) => void;
  #timer: NodeJS.Timeout | undefined;
  #aimedAt = Infinity;

  /** @param fire called once for each entry when it is due, never before; the entry is removed first */
  constructor(fire: (entry: T) => void) {
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

  #aim(dueAt: number): void {
    clearTimeout(this.#timer);
    this.#aimedAt = dueAt;
    const waitMs = Math.ceil(dueAt - performance.now());
    this.#timer = setTimeout(() => this.#due(), Math.min(TIMER_MAX_MS, Math.max(0, waitMs)));
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#aimedAt = Infinity;
  }

  #due(): void {
    this.#disarm();
    const now = performance.now();
    const due: T[] = [];
    for (const entry of this.#entries) {
      if (entry.dueAt <= now) due.push(entry);
    }
    for (const entry of due) {
      // An earlier one may have taken it away.
      if (this.#entries.delete(entry)) this.#fire(entry);
    }
    let next = Infinity;
    for (const entry of this.#entries) next = Math.min(next, entry.dueAt);
    if (next < this.#aimedAt) this.#aim(next);
  }
}
