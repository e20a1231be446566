/** Closed-loop load: a fixed number of requests in flight, each followed by the next at once, or at a pace. */
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { quantile } from "../statistics.ts";

export const loadShape = z.object({
  inFlight: z.number(),
  /** Requests are sent for this long; those in flight then are waited for and not counted. */
  durationMs: z.number(),
  /** Each of them is sent this long after the one before it or, if that takes longer, when it is answered; default: 0. */
  everyMs: z.number().optional(),
});
export type Load = z.infer<typeof loadShape>;

export const loadResultShape = z.object({
  /** Answers within the duration, per second. */
  perSecond: z.number(),
  /** All answers, including those after the duration: the divisor of processor time. */
  answers: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
});
export type LoadResult = z.infer<typeof loadResultShape>;

/** Milliseconds. */
interface Time {
  now(): number;
  wait(ms: number): Promise<void>;
}

const realTime: Time = { now: () => performance.now(), wait };

/**
 * @param once sends a request over the connection with this number and checks its answer
 * @throws errors of `once`: a load with failures measures nothing
 */
export async function closedLoop(
  load: Load,
  once: (slot: number) => Promise<void>,
  time = realTime,
): Promise<LoadResult> {
  const durations: number[] = [];
  let inTime = 0;
  const startedAt = time.now();
  let endsAt = startedAt + load.durationMs;
  const { everyMs = 0 } = load;
  async function run(slot: number): Promise<void> {
    // At a pace they are spread over the time between two of a slot.
    let sentAt = await reached(startedAt + (everyMs * slot) / load.inFlight, time);
    while (sentAt < endsAt) {
      await once(slot);
      const answeredAt = time.now();
      durations.push(answeredAt - sentAt);
      if (answeredAt <= endsAt) inTime += 1;
      // One that is late is counted from when it was due: the wait for the one before it is felt.
      sentAt = everyMs > 0 ? await reached(sentAt + everyMs, time) : answeredAt;
    }
  }
  const stop = (error: unknown): never => {
    endsAt = -Infinity;
    throw error;
  };
  await Promise.all(Array.from({ length: load.inFlight }, (_, slot) => run(slot).catch(stop)));
  return {
    perSecond: inTime / (load.durationMs / 1000),
    answers: durations.length,
    p50Ms: quantile(durations, 0.5),
    p99Ms: quantile(durations, 0.99),
  };
}

/** Gives the time it is then, or `at` if that is over. */
async function reached(at: number, time: Time): Promise<number> {
  const leftMs = at - time.now();
  if (leftMs <= 0) return at;
  await time.wait(leftMs);
  return time.now();
}
