/** Planned events, in the order of time and, at one time, of their creation. */
interface Entry {
  readonly at: number;
  readonly act: () => void;
}

export class Timetable {
  /** Sorted; the first is next. */
  readonly #entries: Entry[] = [];

  /** Infinity without a planned event. */
  get nextAt(): number {
    return this.#entries[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  add(at: number, act: () => void): void {
    const after = this.#entries.findIndex((entry) => entry.at > at);
    this.#entries.splice(after === -1 ? this.#entries.length : after, 0, { at, act });
  }

  actNext(): void {
    this.#entries.shift()?.act();
  }
}
