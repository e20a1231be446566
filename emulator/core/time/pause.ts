/** Waits by an injected clock. */
import type { Clock } from "./clock.ts";

/** Resolves after `ms`, or at once when the signal aborts. */
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

/** Whether `work` resolves within `ms`. Rejects if `work` rejects before. */
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
