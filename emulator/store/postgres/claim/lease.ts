/**
 * For how long a claim lasts without a renewal: longer on a machine that lets this process stand still again and again, whose
 * parts would otherwise go to the others and come back each time. It is the usual one again when the machine has been calm.
 */

/** Interval in which standstills count together, ms. */
const REMEMBERED_MS = 600_000;
/** Minimum number of them that is no accident. */
const REPEATED = 2;
/** Minimum length of a standstill that counts, as a share of the usual lease. */
const COUNTS_FROM = 0.5;
/** A lease is that many times as long as the longest standstill. */
const SAFETY = 2;
/** Maximum of a lease, as a multiple of the usual one: it is how long others wait for one that was killed. */
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

  /** How long the next one is to be, ms. */
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

/** To whole seconds: standstills of about one length change nothing. */
function roundUp(ms: number): number {
  return Math.ceil(ms / 1_000) * 1_000;
}
