/** Logs refusals of peers: the first of a kind at once, then one line a minute with their number. A flood fills no disk. */

/** Interval between two lines about one kind of refusal. */
const INTERVAL_MS = 60_000;

type Fields = Readonly<Record<string, unknown>>;

interface Muted {
  /** Refusals since the last line. */
  count: number;
  last: Fields;
  timer: NodeJS.Timeout;
}

export class RefusalLog {
  readonly #write: (fields: Fields, sentence: string) => void;
  readonly #muted = new Map<string, Muted>();

  constructor(write: (fields: Fields, sentence: string) => void) {
    this.#write = write;
  }

  /** @param kind one of a fixed number of kinds, never what a peer sent */
  say(kind: string, fields: Fields, sentence: string): void {
    const muted = this.#muted.get(kind);
    if (muted !== undefined) {
      muted.count += 1;
      muted.last = fields;
      return;
    }
    this.#write(fields, sentence);
    const timer = setTimeout(() => this.#sumUp(kind, sentence), INTERVAL_MS).unref();
    this.#muted.set(kind, { count: 0, last: fields, timer });
  }

  stop(): void {
    for (const { timer } of this.#muted.values()) clearTimeout(timer);
    this.#muted.clear();
  }

  #sumUp(kind: string, sentence: string): void {
    const muted = this.#muted.get(kind);
    if (muted === undefined) return;
    const { count, last, timer } = muted;
    if (count === 0) {
      this.#muted.delete(kind);
      return;
    }
    this.#write({ ...last, count }, `${sentence} (${count} more in the last minute)`);
    muted.count = 0;
    timer.refresh();
  }
}
