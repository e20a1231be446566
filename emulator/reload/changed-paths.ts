/** Gathers the paths that change at about the same time into one batch: a save of an editor, or a hundred files of a checkout. */
import type { Clock, Disarm } from "../core/time/clock.ts";

export interface QuietTerms {
  /** How long nothing may have changed until a single changed path counts as all, ms. */
  readonly oneMs: number;
  /** The same for several: who changes many files takes a while between them. */
  readonly severalMs: number;
  /** A batch is closed after this time, should it never be quiet, ms. */
  readonly longestMs: number;
}

const QUIET: QuietTerms = { oneMs: 5, severalMs: 60, longestMs: 1_000 };

export class ChangedPaths {
  readonly #clock: Clock;
  readonly #terms: QuietTerms;
  readonly #quiet: (paths: ReadonlySet<string>) => void;
  #paths = new Set<string>();
  #firstAt = 0;
  #disarm: Disarm | undefined;

  /** @param quiet called with each batch */
  constructor(
    clock: Clock,
    quiet: (paths: ReadonlySet<string>) => void,
    terms: QuietTerms = QUIET,
  ) {
    this.#clock = clock;
    this.#quiet = quiet;
    this.#terms = terms;
  }

  /** Whether a path like this has changed that no batch has brought yet. */
  some(isLike: (path: string) => boolean): boolean {
    return this.#paths.values().some(isLike);
  }

  add(path: string): void {
    const now = this.#clock.now();
    if (this.#paths.size === 0) this.#firstAt = now;
    this.#paths.add(path);
    const { oneMs, severalMs, longestMs } = this.#terms;
    const quietMs = this.#paths.size === 1 ? oneMs : severalMs;
    this.#disarm?.();
    this.#aim(Math.min(now + quietMs, this.#firstAt + longestMs));
  }

  /** Forgets what has changed. */
  clear(): void {
    this.#disarm?.();
    this.#paths = new Set();
  }

  #aim(at: number): void {
    this.#disarm = this.#clock.wakeAt(at, () => {
      const { oneMs } = this.#terms;
      const now = this.#clock.now();
      // Whoever was held up for so long has not heard of what changed meanwhile either.
      if (now - at > oneMs) this.#aim(now + oneMs);
      else this.#close();
    });
  }

  #close(): void {
    const paths = this.#paths;
    this.clear();
    this.#quiet(paths);
  }
}
