/** Waits at the start for a process that has just ended without saying so. */
import type { Clock } from "../../../core/time/clock.ts";
import { StoreInUseError } from "../../../core/store-error.ts";
import { pause } from "../../../core/time/pause.ts";

const LOOK_EVERY_MS = 250;

/**
 * @param attempt answers a sentence with who is in the way, if anybody is
 * @throws StoreInUseError when somebody is for longer than `leaseMs`
 */
export async function waitForClaim(
  attempt: () => Promise<string | undefined>,
  clock: Clock,
  leaseMs: number,
): Promise<void> {
  const never = new AbortController().signal;
  const until = clock.now() + leaseMs + LOOK_EVERY_MS;
  for (;;) {
    const refusal = await attempt();
    if (refusal === undefined) return;
    if (clock.now() >= until) throw new StoreInUseError(refusal);
    await pause(clock, Math.min(LOOK_EVERY_MS, leaseMs), never);
  }
}
