/** The quotas of a key over all operations that count in them: how much of each is used, and when there is more again. */
import { SlidingWindow } from "./sliding-window.ts";

/** How many requests are allowed in how long. */
export interface Quota {
  readonly name: string;
  readonly requests: number;
  readonly windowMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The windows are those of the live service (live); what fits in them is far more than anybody asks by hand (ours). */
export const QUOTAS: readonly Quota[] = [
  { name: "minute", requests: 30_000, windowMs: MINUTE_MS },
  { name: "hour", requests: 600_000, windowMs: HOUR_MS },
  { name: "day", requests: 5_000_000, windowMs: 24 * HOUR_MS },
];

/** What is left of a quota. */
export interface QuotaState {
  readonly quota: Quota;
  readonly remaining: number;
  /** How long until more is left than now, ms; 0 where all is. */
  readonly moreInMs: number;
}

/** A window moves on in so many steps, and needs no more memory than those. */
const STEPS = 60;

/** Counts the requests of one key. */
export class QuotaMeter {
  readonly #windows: readonly (readonly [Quota, SlidingWindow])[];

  constructor(quotas: readonly Quota[] = QUOTAS) {
    this.#windows = quotas.map((quota) => [quota, new SlidingWindow(STEPS)] as const);
  }

  /** Counts a request, unless one of the quotas is used up: answers that one then, the one that is longest so. */
  take(now: number): QuotaState | undefined {
    const usedUp = this.states(now)
      .filter(({ remaining }) => remaining === 0)
      .toSorted((a, b) => b.moreInMs - a.moreInMs);
    if (usedUp[0] !== undefined) return usedUp[0];
    for (const [quota, window] of this.#windows) window.add(stepAt(quota, now));
    return undefined;
  }

  states(now: number): readonly QuotaState[] {
    return this.#windows.map(([quota, window]) => {
      const step = stepAt(quota, now);
      const used = window.count(step);
      const moreAt = used === 0 ? now : window.belowAt(step, used) * stepMsOf(quota);
      return { quota, remaining: Math.max(0, quota.requests - used), moreInMs: moreAt - now };
    });
  }

  /** True when forgetting it changes nothing. */
  isIdle(now: number): boolean {
    return this.#windows.every(([quota, window]) => window.count(stepAt(quota, now)) === 0);
  }
}

function stepAt(quota: Quota, now: number): number {
  return Math.floor(now / stepMsOf(quota));
}

function stepMsOf({ windowMs }: Quota): number {
  return windowMs / STEPS;
}
