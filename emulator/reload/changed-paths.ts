/** Gathers paths that change at about the same time into one batch: a save of an editor, or a checkout of a hundred files. */
import type { Clock, Disarm } from "../core/time/clock.ts";

export interface QuietTerms {
  /** Quiet time after which a batch of one path is complete, ms. */
  readonly oneMs: number;
  /** Quiet time after which a batch of several paths is complete, ms. A program that changes many files pauses between them. */
  readonly severalMs: number;
  /** Maximum duration of a batch without a quiet time, ms. */
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

  /** Whether a path for which this holds is in the current batch. */
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

  /** Drops the current batch. */
  clear(): void {
    this.#disarm?.();
    this.#paths = new Set();
  }

  #aim(at: number): void {
    this.#disarm = this.#clock.wakeAt(at, () => {
      const { oneMs } = this.#terms;
      const now = this.#clock.now();
      // This process was busy and has not heard of later changes yet.
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
