/** Claims the database at the start, waiting for a process that has just ended without saying so. */
import type { Clock } from "../../../core/time/clock.ts";
import { StoreInUseError } from "../../../core/store-error.ts";
import type { Session } from "../connect/session.ts";
import { pause } from "../connect/patience.ts";
import type { Claim } from "./claim.ts";

const LOOK_EVERY_MS = 250;

/** @throws StoreInUseError when another process has a live claim for longer than `leaseMs` */
export async function waitForClaim(
  claim: Claim,
  session: Session,
  clock: Clock,
  leaseMs: number,
): Promise<void> {
  const never = new AbortController().signal;
  const until = clock.now() + leaseMs + LOOK_EVERY_MS;
  for (;;) {
    const holder = await claim.take(session);
    if (holder === undefined) return;
    if (clock.now() >= until)
      throw new StoreInUseError(
        `the database is in use by another emulator (${holder}); stop it or choose another database or schema`,
      );
    await pause(clock, Math.min(LOOK_EVERY_MS, leaseMs), never);
  }
}
