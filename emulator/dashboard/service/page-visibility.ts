/**
 * Streams are for pages that somebody looks at: a browser has six connections for all tabs of one service together, and those
 * in the background would leave none.
 */

/** How long a page may be out of sight before it gives its connection back, ms. */
const OUT_OF_SIGHT_MS = 5_000;

/** Calls `lost` once the page has been out of sight for a while, until the returned function is called. */
export function onPageHidden(lost: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    timer = document.hidden ? setTimeout(lost, OUT_OF_SIGHT_MS) : undefined;
  };
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  };
}

/** Settles when the page is in sight, or `signal` aborts. */
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
