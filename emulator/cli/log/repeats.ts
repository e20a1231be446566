/** Failures that were shown already: those like them are counted, and told of ever more rarely while they go on. */

const FIRST_INTERVAL_MS = 1_000;
const LONGEST_INTERVAL_MS = 60_000;
/** A failure that comes again after so long is news again. */
const NEWS_AFTER_MS = 60_000;
/** Different failures that are remembered. */
const MOST = 100;

export interface Repeat<Shown> {
  /** The newest of them. */
  last: Shown;
  /** How many came after the one that was shown. */
  count: number;
  /** How many of these are not told of yet. */
  untold: number;
  lastAt: number;
  /** When those that came meanwhile may be told of. */
  nextAt: number;
  intervalMs: number;
}

export class Repeats<Shown> {
  /** The one that came last at the end. */
  readonly #byKey = new Map<string, Repeat<Shown>>();
  readonly #tell: (repeat: Repeat<Shown>, at: number) => string;

  constructor(tell: (repeat: Repeat<Shown>, at: number) => string) {
    this.#tell = tell;
  }

  /** What is to be said of one more; undefined for the first of its kind, which is to be shown as a whole. */
  add(key: string, last: Shown, at: number): string | undefined {
    const known = this.#byKey.get(key);
    this.#byKey.delete(key);
    if (known === undefined || at - known.lastAt >= NEWS_AFTER_MS) return undefined;
    this.#byKey.set(key, known);
    // It had stopped for a while: the next one is told of at once again.
    if (at - known.lastAt > known.intervalMs) known.intervalMs = FIRST_INTERVAL_MS;
    known.last = last;
    known.lastAt = at;
    known.count += 1;
    known.untold += 1;
    return at >= known.nextAt ? this.#told(known, at) : "";
  }

  /** Remembers one that was shown. Returns what was still to be said of the one that is forgotten for it. */
  shown(key: string, last: Shown, at: number): string {
    const intervalMs = FIRST_INTERVAL_MS;
    const repeat = { last, count: 0, untold: 0, lastAt: at, nextAt: at + intervalMs, intervalMs };
    this.#byKey.set(key, repeat);
    if (this.#byKey.size <= MOST) return "";
    const [[oldestKey, oldest] = [key, repeat]] = this.#byKey;
    this.#byKey.delete(oldestKey);
    return oldest.untold === 0 ? "" : this.#told(oldest, at);
  }

  /** What may be told by now, or with `isEnd` all that was not told yet. */
  due(at: number, isEnd = false): string {
    return [...this.#byKey.values()]
      .filter(({ untold, nextAt }) => untold > 0 && (isEnd || at >= nextAt))
      .map((repeat) => this.#told(repeat, at))
      .join("");
  }

  /** When there is something to be told; undefined where all is told. */
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
