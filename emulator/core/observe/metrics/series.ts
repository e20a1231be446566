/** Counters and distributions by label, kept as plain numbers. */

export type Labels = Readonly<Record<string, string>>;

/** State of one set of labels. */
export interface Series<Value> {
  readonly labels: Labels;
  readonly value: Value;
}

/** Values by their labels, which always have the same order. */
abstract class LabelledValues<Value> {
  readonly #byLabels = new Map<string, Series<Value>>();

  get series(): readonly Series<Value>[] {
    return [...this.#byLabels.values()];
  }

  /** Forgets series with a value of the label `name` that is not in `kept`. */
  retain(name: string, kept: ReadonlySet<string>): void {
    for (const [key, { labels }] of this.#byLabels) {
      const value = labels[name];
      if (value !== undefined && !kept.has(value)) this.#byLabels.delete(key);
    }
  }

  protected abstract none(): Value;

  protected at(labels: Labels): Value {
    const key = Object.values(labels).join("\n");
    const known = this.#byLabels.get(key);
    if (known !== undefined) return known.value;
    const value = this.none();
    this.#byLabels.set(key, { labels, value });
    return value;
  }
}

export class Counts extends LabelledValues<{ count: number }> {
  add(labels: Labels, count = 1): void {
    this.at(labels).count += count;
  }

  protected override none(): { count: number } {
    return { count: 0 };
  }
}

/** Distribution of observed values over the ranges that end at its bounds. */
export interface Spread {
  /** One number per bound: the values in (previous bound, bound]; and a last one for those above all bounds. */
  readonly counts: number[];
  sum: number;
}

export class Distributions extends LabelledValues<Spread> {
  /** Ascending. */
  readonly bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    super();
    this.bounds = bounds;
  }

  observe(labels: Labels, value: number): void {
    const spread = this.at(labels);
    let index = 0;
    while (value > (this.bounds[index] ?? Number.POSITIVE_INFINITY)) index += 1;
    spread.counts[index] = (spread.counts[index] ?? 0) + 1;
    spread.sum += value;
  }

  protected override none(): Spread {
    return { counts: Array.from({ length: this.bounds.length + 1 }, () => 0), sum: 0 };
  }
}
