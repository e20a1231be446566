/** Counts repetitions of shown failures, and reports them at growing intervals. */

const FIRST_INTERVAL_MS = 1_000;
const LONGEST_INTERVAL_MS = 60_000;
/** Time without a failure after which it is shown whole again. */
const NEWS_AFTER_MS = 60_000;
/** Maximum different failures that are remembered. */
const MOST = 100;

export interface Repeat<Shown> {
  last: Shown;
  /** Number of failures after the shown one. */
  count: number;
  /** Number of failures that are not reported yet. */
  untold: number;
  lastAt: number;
  /** When the next report is due. */
  nextAt: number;
  intervalMs: number;
}

export class Repeats<Shown> {
  /** In the order of their last failures. */
  readonly #byKey = new Map<string, Repeat<Shown>>();
  readonly #tell: (repeat: Repeat<Shown>, at: number) => string;

  constructor(tell: (repeat: Repeat<Shown>, at: number) => string) {
    this.#tell = tell;
  }

  /** The line about a repeated failure, which may be empty. Undefined for a new failure, which is shown whole. */
  add(key: string, last: Shown, at: number): string | undefined {
    const known = this.#byKey.get(key);
    this.#byKey.delete(key);
    if (known === undefined || at - known.lastAt >= NEWS_AFTER_MS) return undefined;
    this.#byKey.set(key, known);
    // After a pause the next failure is reported at once again.
    if (at - known.lastAt > known.intervalMs) known.intervalMs = FIRST_INTERVAL_MS;
    known.last = last;
    known.lastAt = at;
    known.count += 1;
    known.untold += 1;
    return at >= known.nextAt ? this.#told(known, at) : "";
  }

  /** Remembers a shown failure. Returns the last line about the failure that is forgotten in its place. */
  shown(key: string, last: Shown, at: number): string {
    const intervalMs = FIRST_INTERVAL_MS;
    const repeat = { last, count: 0, untold: 0, lastAt: at, nextAt: at + intervalMs, intervalMs };
    this.#byKey.set(key, repeat);
    if (this.#byKey.size <= MOST) return "";
    const [[oldestKey, oldest] = [key, repeat]] = this.#byKey;
    this.#byKey.delete(oldestKey);
    return oldest.untold === 0 ? "" : this.#told(oldest, at);
  }

  /** The lines that are due, or with `isEnd` all lines. */
  due(at: number, isEnd = false): string {
    return [...this.#byKey.values()]
      .filter(({ untold, nextAt }) => untold > 0 && (isEnd || at >= nextAt))
      .map((repeat) => this.#told(repeat, at))
      .join("");
  }

  /** When the next line is due; undefined if there is none. */
  nextDueAt(): number | undefined {
    const waiting = [...this.#byKey.values()].filter(({ untold }) => untold > 0);
    return waiting.length === 0 ? undefined : Math.min(...waiting.map(({ nextAt }) => nextAt));
  }

  #told(repeat: Repeat<Shown>, at: number): string {
    repeat.untold = 0;
    repeat.nextAt = at + repeat.intervalMs;
    repeat.intervalMs = Math.min(repeat.intervalMs * 2, LONGEST_INTERVAL_MS);
    return this.#tell(repeat, at);
  }
}
