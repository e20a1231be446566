/** Waits by an injected clock. */
import type { Clock } from "./clock.ts";

/** Resolves after `ms`, or at once when the signal aborts. @param begun called with a function that ends the pause */
export async function pause(
  clock: Pick<Clock, "now" | "wakeAt">,
  ms: number,
  signal?: AbortSignal,
  begun?: (wake: () => void) => void,
): Promise<void> {
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  const disarm = clock.wakeAt(clock.now() + ms, wake);
  begun?.(wake);
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
