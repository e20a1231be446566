/** Opens connections to the database, and logs their loss: once for all that are lost together, as when a server ends. */
import type { Clock } from "../../../core/time/clock.ts";
import { messageOf } from "./postgres-error.ts";
import { Session } from "./session.ts";
import type { Settings } from "./settings.ts";

/** Interval after a logged loss in which further losses belong to the same incident. */
const TOGETHER_MS = 5_000;

/** Answers a function that opens a connection. The connection is lost when an answer takes longer than `answerMs`, by default `usualMs`. */
export function connector(
  settings: Settings,
  usualMs: number,
  clock: Clock,
  warn: (sentence: string) => void,
): (answerMs?: number) => Promise<Session> {
  let quietUntil = Number.NEGATIVE_INFINITY;
  const onLost = (error: unknown) => {
    const now = clock.now();
    if (now < quietUntil) return;
    quietUntil = now + TOGETHER_MS;
    warn(`a connection to the database was lost, and is made anew: ${messageOf(error)}`);
  };
  return (answerMs = usualMs) => Session.open(settings, answerMs, onLost);
}
