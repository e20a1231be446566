/** A pause leaves no listener or timer: a service makes many of them. */
import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { pause } from "../../../../emulator/core/time/pause.ts";
import { FakeClock } from "../../../fake-clock.ts";

it("an ended pause leaves nothing at its signal and at the clock", async () => {
  const clock = new FakeClock();
  const ending = new AbortController();
  const first = pause(clock, 1_000, ending.signal);
  await clock.advance(1_000);
  await first;
  expect(getEventListeners(ending.signal, "abort")).toEqual([]);
  const second = pause(clock, 1_000, ending.signal);
  ending.abort();
  await second;
  expect(clock.armed).toBe(0);
});
