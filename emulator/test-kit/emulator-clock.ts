/** The clock of the service, for the program that started the service. */
import { readAdvanceMs } from "../core/time/advance-input.ts";
import { type Advance, advanceClock } from "../engine/time/advance-clock.ts";
import type { StepPort } from "../engine/steps/step-port.ts";
import type { TimePort } from "../engine/time/time-port.ts";
import type { TellPort } from "../engine/observe/tell-port.ts";
import { holding } from "./holding.ts";

/** Service time: by it jobs expire, idle workers stop and webhooks are retried. */
export interface EmulatorClock {
  /** Service time now, ms since the epoch: real time and all advances. */
  now(): number;
  /**
   * Advances service time by a text like `31m`, `1h30m` or `250ms`, or by a number of ms. Everything that becomes due happens, in order. Resolves when all of it has settled, or after 30 s of real time. Running handlers keep real time.
   * @throws an error with the code `invalid_request` for an invalid, negative or too long duration
   */
  advance(by: string | number): Promise<Advance>;
}

export function clockOf(engine: StepPort & TimePort & TellPort): EmulatorClock {
  const { signal } = new AbortController();
  return {
    now: () => engine.clock.now(),
    advance: async (by) => holding(advanceClock(engine, readAdvanceMs({ advance: by }), signal)),
  };
}
