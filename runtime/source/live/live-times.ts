/** The waiting times of the live source, and the wait itself. */
import { setTimeout as wait } from "node:timers/promises";
import type { BackoffTerms } from "../../core/backoff.ts";

export interface LiveTimes {
  /** Timeout of a poll. The queue answers after about 20 to 30 s (live). */
  readonly pollLimitMs: number;
  /** Minimum interval between two polls if the first brought no job. */
  readonly emptyPauseMs: number;
  /** Pause after a 429 (live). */
  readonly tooManyPauseMs: number;
  /** Waits after an error of the queue, and after a lost connection. */
  readonly retry: BackoffTerms;
  /** Timeout of a report, including all its retries. */
  readonly reportPatienceMs: number;
  /** Time after which repeated answers of the queue that a job, its address or the worker is unknown count. */
  readonly doubtPatienceMs: number;
}

export const LIVE_TIMES: LiveTimes = {
  pollLimitMs: 90_000,
  emptyPauseMs: 1_000,
  tooManyPauseMs: 5_000,
  retry: { firstMs: 500, maxMs: 15_000 },
  reportPatienceMs: 600_000,
  doubtPatienceMs: 60_000,
};

/** Resolves after `ms`, or when the signal aborts. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
}
