/** The ids in earlier answers, so that later requests can be about existing resources. */

/** Placeholder in a generated request for an id that is chosen when it is sent. */
export class KnownId {
  readonly parameter: string;
  readonly nth: number;

  constructor(parameter: string, nth: number) {
    this.parameter = parameter;
    this.nth = nth;
  }

  toJSON(): string {
    return `{${this.parameter} ${this.nth}}`;
  }
}

/** The parameters of a path to one resource. */
export type Place = Readonly<Record<string, string>>;

/** Maximum number of remembered ids of a kind; the oldest are forgotten and have mostly been deleted. */
const REMEMBERED = 12;

export class KnownIds {
  readonly #always: Readonly<Record<string, Place>>;
  readonly #places = new Map<string, Place[]>();

  /** @param always resources that exist from the beginning, by their parameter */
  constructor(always: Readonly<Record<string, Place>>) {
    this.#always = always;
  }

  add(parameter: string, place: Place): void {
    const places = this.#places.get(parameter) ?? [];
    this.#places.set(parameter, [...places, place].slice(-REMEMBERED));
  }

  /** Index of the id: often a permanent one, otherwise mostly a new one. */
  place({ parameter, nth }: KnownId): Place {
    const places = this.#places.get(parameter) ?? [];
    const always = this.#always[parameter];
    if (always && (nth % 2 === 0 || places.length === 0)) return always;
    const age = Math.floor((nth / 100) ** 2 * places.length);
    return places.at(-1 - age) ?? { [parameter]: "none" };
  }

  /** `value` with all ids in it chosen. */
  chosen(value: unknown): unknown {
    if (value instanceof KnownId) return this.place(value)[value.parameter];
    if (Array.isArray(value)) return value.map((item) => this.chosen(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, this.chosen(member)]),
    );
  }
}
