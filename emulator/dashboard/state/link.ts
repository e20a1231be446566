/** Whether the dashboard hears the service, and whether it may ask it anything. */

export type Link =
  | { readonly phase: "connecting" }
  | { readonly phase: "live" }
  /** It was lost, or never there; tried again after that time. */
  | { readonly phase: "waiting"; readonly tries: number; readonly retryMs: number };

/** `unknown`: before the first answer; `closed`: there is no session, so the form for one is shown. */
export type Session = "unknown" | "closed" | "on" | "read-only";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** After the link was lost, or a try failed: each wait is twice as long as the one before. */
export function lost(link: Link): Link {
  const tries = link.phase === "waiting" ? link.tries + 1 : 1;
  const retryMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  return { phase: "waiting", tries, retryMs };
}
