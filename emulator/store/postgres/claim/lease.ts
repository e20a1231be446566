/**
 * The lease of a claim without a renewal: longer on a machine that lets this process stand still again and again. Its partitions
 * would otherwise move to other replicas and back each time. After a calm time it is the usual lease again.
 */

/** Interval in which standstills count together, ms. */
const REMEMBERED_MS = 600_000;
/** Minimum number of standstills that make the lease longer. */
const REPEATED = 2;
/** Minimum length of a standstill that counts, as a share of the usual lease. */
const COUNTS_FROM = 0.5;
/** Length of a lease, as a multiple of the longest standstill. */
const SAFETY = 2;
/** Maximum lease, as a multiple of the usual one: other replicas wait as long for a killed one. */
const MAX_GROWTH = 4;

export class Lease {
  readonly #usualMs: number;
  /** Standstills that are remembered. */
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

/** Rounds to whole seconds: standstills of a similar length change nothing. */
function roundUp(ms: number): number {
  return Math.ceil(ms / 1_000) * 1_000;
}
