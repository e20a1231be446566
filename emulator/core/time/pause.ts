/** Waits by a clock that is handed in. */
import type { Clock } from "./clock.ts";

/** Resolves after `ms`, or as soon as the signal is given. */
export async function pause(
  clock: Pick<Clock, "now" | "wakeAt">,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const disarm = clock.wakeAt(clock.now() + ms, resolve);
  const wake = () => resolve();
  signal?.addEventListener("abort", wake);
  await promise;
  disarm();
  signal?.removeEventListener("abort", wake);
}

/** Whether `work` was done within `ms`. Rejects if `work` does meanwhile. */
export async function within(
  clock: Pick<Clock, "now" | "wakeAt">,
  ms: number,
  work: Promise<unknown>,
): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const disarm = clock.wakeAt(clock.now() + ms, () => over.resolve(false));
  try {
    return await Promise.race([work.then(() => true), over.promise]);
  } finally {
    disarm();
  }
}
