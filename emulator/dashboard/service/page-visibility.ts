/**
 * Only visible pages keep streams open: a browser has six connections for all tabs of one service, and tabs in the background
 * would use them up.
 */

/** Time for which a hidden page keeps its connection, ms. */
const HIDDEN_MS = 5_000;

/** Calls `hidden` once the page has been hidden for a while, until the returned function is called. */
export function onPageHidden(hidden: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    timer = document.hidden ? setTimeout(hidden, HIDDEN_MS) : undefined;
  };
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  };
}

/** Settles when the page is visible, or `signal` aborts. */
export async function pageVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = new AbortController();
  document.addEventListener("visibilitychange", () => resolve(), { signal: ended.signal });
  signal.addEventListener("abort", () => resolve(), { signal: ended.signal });
  await promise;
  ended.abort();
  await pageVisible(signal);
}
