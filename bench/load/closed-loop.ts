/** Closed-loop load: a fixed number of requests in flight. The next request follows each answer at once, or at a pace. */
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { quantile } from "../statistics.ts";

export const loadShape = z.object({
  inFlight: z.number(),
  /** Duration of the load. Requests in flight at its end are awaited but not counted. */
  durationMs: z.number(),
  /** Minimum interval between the requests of a slot; a request also waits for the answer to the previous one. Default: 0. */
  everyMs: z.number().optional(),
});
export type Load = z.infer<typeof loadShape>;

export const loadResultShape = z.object({
  /** Answers within the duration, per second. */
  perSecond: z.number(),
  /** All answers, including later ones. Processor time is divided by this number. */
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
    // At a pace, the slots start at different moments within one interval.
    let sentAt = await reached(startedAt + (everyMs * slot) / load.inFlight, time);
    while (sentAt < endsAt) {
      await once(slot);
      const answeredAt = time.now();
      durations.push(answeredAt - sentAt);
      if (answeredAt <= endsAt) inTime += 1;
      // The duration of a late request counts from its due moment, so that it includes the wait for the previous request.
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

/** Returns the time after the wait, or `at` if that has passed. */
async function reached(at: number, time: Time): Promise<number> {
  const leftMs = at - time.now();
  if (leftMs <= 0) return at;
  await time.wait(leftMs);
  return time.now();
}
