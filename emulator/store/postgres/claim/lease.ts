/**
 * Computes the lease duration of a claim. The lease is longer on a machine that stalls this process repeatedly. Otherwise its
 * partitions would move to other replicas and back each time. After a calm period the lease has its usual length again.
 */

/** Period in which stalls count together, ms. */
const REMEMBERED_MS = 600_000;
/** Minimum number of stalls that make the lease longer. */
const REPEATED = 2;
/** Minimum length of a stall that counts, as a share of the usual lease. */
const COUNTS_FROM = 0.5;
/** Length of a longer lease, as a multiple of the longest stall. */
const SAFETY = 2;
/** Maximum lease, as a multiple of the usual one. Other replicas wait for a killed replica until its lease ends. */
const MAX_GROWTH = 4;

export class Lease {
  readonly #usualMs: number;
  /** Remembered stalls of this process. */
  #standstills: readonly { readonly at: number; readonly ms: number }[] = [];

  constructor(usualMs: number) {
    this.#usualMs = usualMs;
  }

  /** @param now by the monotonic clock, ms */
  stoodStill(ms: number, now: number): void {
    if (ms < this.#usualMs * COUNTS_FROM) return;
    this.#standstills = [...this.#remembered(now), { at: now, ms }];
  }

  /** Length of the next lease, ms. */
  at(now: number): number {
    const remembered = this.#remembered(now);
    if (remembered.length < REPEATED) return this.#usualMs;
    const wantedMs = roundUp(SAFETY * Math.max(...remembered.map(({ ms }) => ms)));
    const mostMs = MAX_GROWTH * this.#usualMs;
    return Math.min(Math.max(wantedMs, this.#usualMs), mostMs);
  }

  #remembered(now: number) {
    return this.#standstills.filter(({ at }) => now - at < REMEMBERED_MS);
  }
}

/** Rounds up to whole seconds, so that stalls of similar length do not change the lease. */
function roundUp(ms: number): number {
  return Math.ceil(ms / 1_000) * 1_000;
}
