/** The machine's steady clock, which is the same for both processes at the ends of the pipe. */
import { PausableClock } from "../core/pausable-clock.ts";

/** Milliseconds since a moment that is the same for every process of this machine; never goes back. */
export function machineClock(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/**
 * The machine's clock, as a clock that can be paused while a debugger holds the handler process. @param stoodStill as in
 * `PausableClock`
 */
export function pausableMachineClock(stoodStill?: () => void): PausableClock {
  return new PausableClock(machineClock, stoodStill);
}
