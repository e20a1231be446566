/** The clock as the emulator's own operations show it. */
import type { ClockReading } from "../../../engine/time/advance-clock.ts";

/** Instants as ISO 8601; `nextDueAt` is null while nothing is due. */
export function clockBody({ now, offsetMs, nextDueAt }: ClockReading) {
  return {
    now: iso(now),
    nowMs: now,
    offsetMs,
    nextDueAt: nextDueAt === undefined ? null : iso(nextDueAt),
  };
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}
