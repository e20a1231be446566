/** The quotas of a key over all operations that count: how much is used, and when more becomes free. */
import { SlidingWindow } from "./sliding-window.ts";

/** Maximum number of requests in a window. */
export interface Quota {
  readonly name: string;
  readonly requests: number;
  readonly windowMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Windows of the live service (live). The numbers of requests are far above any use by hand (ours). */
export const QUOTAS: readonly Quota[] = [
  { name: "minute", requests: 30_000, windowMs: MINUTE_MS },
  { name: "hour", requests: 600_000, windowMs: HOUR_MS },
  { name: "day", requests: 5_000_000, windowMs: 24 * HOUR_MS },
];

/** The unused rest of a quota. */
export interface QuotaState {
  readonly quota: Quota;
  readonly remaining: number;
  /** Time until more becomes free, ms; 0 if all is free. */
  readonly moreInMs: number;
}

/** Steps per window. A window needs memory for as many numbers. */
const STEPS = 60;

/** Counts the requests of one key. */
export class QuotaMeter {
  readonly #windows: readonly (readonly [Quota, SlidingWindow])[];

  constructor(quotas: readonly Quota[] = QUOTAS) {
    this.#windows = quotas.map((quota) => [quota, new SlidingWindow(STEPS)] as const);
  }

  /** Counts a request, unless a quota is used up. Returns the used-up quota with the longest wait. */
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

  /** Whether all windows are empty, so that the meter can be dropped. */
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
