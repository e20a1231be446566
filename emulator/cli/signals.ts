/** Counts the signals that ask the program to stop: each one more asks more urgently. */

const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;
const MOST = 3;

export interface StopSignals {
  /** Resolves when that many have come, 1 to 3. */
  readonly nth: (count: 1 | 2 | 3) => Promise<void>;
  readonly count: number;
}

/** From now on the signals end nothing by themselves. */
export function countStopSignals(source: Pick<NodeJS.Process, "on">): StopSignals {
  const stages = Array.from({ length: MOST }, () => Promise.withResolvers<void>());
  let count = 0;
  const take = () => stages[count++]?.resolve();
  for (const signal of STOP_SIGNALS) source.on(signal, take);
  return {
    nth: async (wanted) => stages[wanted - 1]?.promise,
    get count() {
      return count;
    },
  };
}
