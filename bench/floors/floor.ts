/** A floor: one part of a job's path without the service, which shows the machine's own cost. */
import { median } from "../statistics.ts";

export interface Floor extends AsyncDisposable {
  /** Does the work `count` times, one after another, and returns the median duration in ms. */
  p50Ms(count: number): Promise<number>;
}

/** The median duration of `count` runs of `once`. */
export async function medianOf(count: number, once: () => Promise<void>): Promise<number> {
  const durations: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const startedAt = performance.now();
    await once();
    durations.push(performance.now() - startedAt);
  }
  return median(durations);
}
