/** What service time follows: a clock that stands still, the database's, or the monotonic clock of this machine. */
import type { Clock } from "../core/time/clock.ts";
import { SHARED_CLOCK } from "../engine/time/advance-clock.ts";
import type { EmulatorOptions } from "../options.ts";
import type { OpenedStore } from "./store/open-store.ts";
import { createStandingClock } from "./system-clock.ts";

/** @throws RangeError for a manual clock where several emulators share the store */
export function serviceClockOf(
  { clock: kind }: EmulatorOptions,
  { store, clock }: { readonly store: OpenedStore; readonly clock: Clock },
): Clock {
  const followed = store.serviceTime?.clock ?? clock;
  if (kind !== "manual") return followed;
  if (store.ownership !== undefined) throw new RangeError(SHARED_CLOCK);
  return createStandingClock(followed.now());
}
