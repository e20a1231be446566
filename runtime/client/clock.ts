/** The client's clock and timers; tests pass their own. */
import { setTimeout as delay } from "node:timers/promises";

export interface ClientClock {
  /** A monotonic reading, ms; only differences between readings have a meaning. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: ClientClock = {
  now: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};

/** Runs `work` with a signal that aborts with `signal`, or after `timeoutMs` with the error from `timeoutError`. */
export async function withDeadline<T>(
  clock: ClientClock,
  limits: { readonly timeoutMs: number | undefined; readonly signal: AbortSignal | undefined },
  timeoutError: () => Error,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const { timeoutMs, signal } = limits;
  signal?.throwIfAborted();
  if (timeoutMs === undefined) return work(signal);
  const deadline = new AbortController();
  const done = new AbortController();
  const timer = clock.sleep(timeoutMs, done.signal).then(
    () => deadline.abort(timeoutError()),
    () => undefined, // the work has ended first
  );
  try {
    const either =
      signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
    return await work(either);
  } finally {
    done.abort();
    await timer;
  }
}
