/** Counts the stop requests that come as signals: each further one is more urgent. */

const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;
const MOST = 3;

/**
 * Time within which a repeated signal is the same request. On Ctrl-C the terminal signals every program in it, and npm passes
 * its own signal on to the program that it runs.
 */
const SAME_REQUEST_MS = 300;

/** The part of a process that receives signals. */
interface SignalSource {
  on(signal: (typeof STOP_SIGNALS)[number], listener: () => void): unknown;
  emit(signal: (typeof STOP_SIGNALS)[number], same: (typeof STOP_SIGNALS)[number]): unknown;
}

export interface StopSignals {
  /** Resolves at that request, 1 to 3. */
  readonly nth: (count: 1 | 2 | 3) => Promise<void>;
  readonly count: number;
  /** The reason of a stop that no signal asked for. */
  readonly reason: string | undefined;
  /** Has the same effect as two different signals. */
  stopAtOnce(reason: string): void;
}

/** From now on the signals alone no longer end the process. `now` is in ms. */
export function countStopSignals(
  source: SignalSource,
  now: () => number = () => performance.now(),
): StopSignals {
  const stages = Array.from({ length: MOST }, () => Promise.withResolvers<void>());
  let count = 0;
  let reason: string | undefined;
  let last: string | undefined;
  let lastAt = 0;
  const take = (signal: string) => {
    const at = now();
    if (signal === last && at - lastAt < SAME_REQUEST_MS) return;
    last = signal;
    lastAt = at;
    stages[count++]?.resolve();
  };
  for (const signal of STOP_SIGNALS) source.on(signal, () => take(signal));
  return {
    nth: async (wanted) => stages[wanted - 1]?.promise,
    get count() {
      return count;
    },
    get reason() {
      return reason;
    },
    stopAtOnce(why) {
      reason = why;
      for (const signal of STOP_SIGNALS) source.emit(signal, signal);
    },
  };
}
