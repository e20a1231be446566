/** The machine's steady clock, which both processes at the ends of the pipe read alike. */
import { PausableClock } from "../core/pausable-clock.ts";

/** Milliseconds since a moment that is the same for every process of this machine; never goes back. */
export function machineClock(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** The machine's clock, to be stopped while a debugger holds the handler process. `stoodStill` as `PausableClock` has it. */
export function pausableMachineClock(stoodStill?: () => void): PausableClock {
  return new PausableClock(machineClock, stoodStill);
}
