/** Waits at the start for the lease of a process that was killed. */
import type { Clock } from "../../../core/time/clock.ts";
import { StoreInUseError } from "../../../core/store-error.ts";
import { pause } from "../../../core/time/pause.ts";

const LOOK_EVERY_MS = 250;

/**
 * @param attempt answers a sentence that names the replica in the way, if there is one
 * @throws StoreInUseError when a replica is in the way for longer than `leaseMs`
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
