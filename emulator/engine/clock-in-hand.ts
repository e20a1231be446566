/** Service time in the hands of a program that holds the service: read it, or advance it. */
import { readAdvanceMs } from "../core/advance-input.ts";
import { type Advance, advanceClock } from "./advance-clock.ts";
import type { EngineContext } from "./context.ts";

export interface ClockInHand {
  now(): number;
  /** @throws ServiceError invalid_request for what is no duration, negative, or too long */
  advance(by: string | number): Promise<Advance>;
}

export function clockOf(engine: EngineContext): ClockInHand {
  const { signal } = new AbortController();
  return {
    now: () => engine.clock.now(),
    advance: async (by) => advanceClock(engine, readAdvanceMs({ advance: by }), signal),
  };
}
