/** Passes states of progress bars on: at most one a second of each bar, and always the last one. */

/** Interval between two states of a bar. */
const INTERVAL_MS = 1_000;
/** Maximum number of remembered bars. The oldest are dropped when their last state is passed on. */
const MAX_BARS = 100;

interface Bar<Line> {
  shown: string;
  waiting: Line | undefined;
  timer: NodeJS.Timeout | undefined;
}

export class BarLines<Line extends { readonly text: string }> {
  readonly #pass: (line: Line) => void;
  readonly #bars = new Map<string, Bar<Line>>();

  constructor(pass: (line: Line) => void) {
    this.#pass = pass;
  }

  state(key: string, line: Line): void {
    const bar: Bar<Line> = this.#bars.get(key) ?? {
      shown: "",
      waiting: undefined,
      timer: undefined,
    };
    if (!this.#bars.has(key)) this.#add(key, bar);
    if (bar.timer !== undefined) bar.waiting = line;
    else if (line.text !== bar.shown) this.#show(bar, line);
  }

  /** The line of the bar has ended. @returns whether its text is still to be passed on */
  ended(key: string, text: string): boolean {
    const bar = this.#bars.get(key);
    if (bar === undefined) return true;
    this.#bars.delete(key);
    clearTimeout(bar.timer);
    const isBlank = text.trim() === "";
    if (isBlank && bar.waiting !== undefined) this.#pass(bar.waiting);
    return !isBlank && text !== bar.shown;
  }

  /** The output has ended. */
  end(): void {
    for (const key of this.#bars.keys()) this.ended(key, "");
  }

  #add(key: string, bar: Bar<Line>): void {
    const [oldest] = this.#bars.keys();
    if (this.#bars.size >= MAX_BARS && oldest !== undefined) this.ended(oldest, "");
    this.#bars.set(key, bar);
  }

  #show(bar: Bar<Line>, line: Line): void {
    bar.shown = line.text;
    bar.waiting = undefined;
    this.#pass(line);
    bar.timer = setTimeout(() => {
      bar.timer = undefined;
      if (bar.waiting !== undefined) this.#show(bar, bar.waiting);
    }, INTERVAL_MS).unref();
  }
}
