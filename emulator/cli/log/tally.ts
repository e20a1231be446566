/** Counts durations in bounded memory, and returns their median to two digits. */

export class Tally {
  #count = 0;
  readonly #byDuration = new Map<number, number>();

  get count(): number {
    return this.#count;
  }

  /** @param durationMs undefined if nothing ran */
  add(durationMs: number | undefined): void {
    this.#count += 1;
    if (durationMs === undefined) return;
    const rounded = toTwoDigits(durationMs);
    this.#byDuration.set(rounded, (this.#byDuration.get(rounded) ?? 0) + 1);
  }

  addAll({ count, byDuration }: { readonly count: number; readonly byDuration: Counts }): void {
    this.#count += count;
    for (const [ms, times] of byDuration)
      this.#byDuration.set(ms, (this.#byDuration.get(ms) ?? 0) + times);
  }

  get byDuration(): Counts {
    return this.#byDuration;
  }

  /** Undefined if nothing ran. */
  medianMs(): number | undefined {
    const sorted = [...this.#byDuration].toSorted(([a], [b]) => a - b);
    const total = sorted.reduce((sum, [, times]) => sum + times, 0);
    let seen = 0;
    for (const [ms, times] of sorted) {
      seen += times;
      if (seen * 2 >= total) return ms;
    }
    return undefined;
  }
}

type Counts = ReadonlyMap<number, number>;

function toTwoDigits(ms: number): number {
  let unit = 1;
  while (ms >= unit * 100) unit *= 10;
  return Math.round(ms / unit) * unit;
}
