/** Finds a file that a handler itself writes and imports: each version changes it, which would make the next version, without end. */

/** Number of versions in a row that may come of one file. */
const TURNS = 3;

/** Time after a release in which a change may come from the new version. A person rarely saves as often. */
const SOON_MS = 4_000;

export class SelfWrites {
  /** The handler's own file, which people edit. */
  readonly #entry: string;
  #releasedAt = Number.NEGATIVE_INFINITY;
  #file: string | undefined;
  #turns = 0;

  constructor(entry: string) {
    this.#entry = entry;
  }

  /** The file that causes no release, until another one changes. */
  get damped(): string | undefined {
    return this.#turns > TURNS ? this.#file : undefined;
  }

  released(at: number): void {
    this.#releasedAt = at;
  }

  /** Notes files of the handler that changed together. Returns whether they may cause a release. */
  changed(files: readonly string[], at: number): boolean {
    const [file, ...others] = files;
    if (file !== this.#file || others.length > 0) {
      this.#file = file;
      this.#turns = 0;
    }
    const isSoon = at - this.#releasedAt < SOON_MS;
    const isOwn = file !== this.#entry && others.length === 0;
    if (this.damped === undefined) this.#turns = isOwn && isSoon ? this.#turns + 1 : 0;
    return this.damped === undefined;
  }
}
