/** Chooses the clock that service time follows: one that stands still, the database's, or the monotonic clock of this machine. */
import type { Clock } from "../core/time/clock.ts";
import type { StepPort } from "../engine/steps/step-port.ts";
import type { TimePort } from "../engine/time/time-port.ts";
import type { TellPort } from "../engine/observe/tell-port.ts";
import type { WakePort } from "../engine/steps/wake-port.ts";
import type { Steps } from "../engine/steps/steps.ts";
import { SHARED_CLOCK } from "../engine/time/advance-clock.ts";
import { clockSinceHighest, KeptTime } from "../engine/time/kept-time.ts";
import type { EmulatorOptions } from "../options.ts";
import type { OpenedStore } from "./store/open-store.ts";
import { createStandingClock } from "./system-clock.ts";

interface Ground {
  readonly store: OpenedStore;
  readonly steps: Pick<Steps, "records">;
  /** Starts at the machine's wall clock. */
  readonly clock: Clock;
}

/** @throws RangeError for a manual clock where several emulators share the store */
export function serviceClockOf(
  { clock: kind }: EmulatorOptions,
  { store, steps, clock }: Ground,
): Clock {
  const followed = store.serviceTime?.clock ?? clockSinceHighest(steps, clock);
  if (kind !== "manual") return followed;
  if (store.ownership !== undefined) throw new RangeError(SHARED_CLOCK);
  return createStandingClock(followed.now());
}

/** Stores the highest service time and compares it with this machine's clock, unless a database does that. */
export async function keepTime(
  { clock: kind }: EmulatorOptions,
  {
    store,
    clock,
    context,
  }: Omit<Ground, "steps"> & { readonly context: StepPort & TimePort & TellPort & WakePort },
  made: AsyncDisposableStack,
): Promise<void> {
  if (store.serviceTime !== undefined) return;
  const kept = new KeptTime(context);
  made.defer(() => kept.stop());
  if (kind !== "manual") await kept.begin(clock.now());
}
