/** Waits by a clock that is handed in. */
import type { Clock } from "../../core/time/clock.ts";

export async function pause(clock: Clock, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  clock.wakeAt(clock.now() + ms, over.resolve);
  await over.promise;
}

/** Whether `work` was done within `ms`. Rejects if `work` does meanwhile. */
export async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const disarm = clock.wakeAt(clock.now() + ms, () => over.resolve(false));
  try {
    return await Promise.race([work.then(() => true), over.promise]);
  } finally {
    disarm();
  }
}
