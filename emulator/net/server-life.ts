/** The life of an emulator's servers: whether they keep the process running, and when they end in haste. */

export interface ServerLife {
  /** Whether listening keeps the process running. */
  readonly holdsProcess: boolean;
  /** Aborts at a stop that does not wait for requests. */
  readonly haste: AbortSignal;
}

/** Time for the last bytes of answers at such a stop. */
const HASTE_MS = 250;

/** Calls `cut` soon after a stop in haste. Returns a function that calls it off. */
export function inHaste(life: ServerLife | undefined, cut: () => void): () => void {
  if (life === undefined) return () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const soon = () => (timer = setTimeout(cut, HASTE_MS));
  if (life.haste.aborted) soon();
  else life.haste.addEventListener("abort", soon, { once: true });
  return () => {
    clearTimeout(timer);
    life.haste.removeEventListener("abort", soon);
  };
}
