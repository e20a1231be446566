/** The pause before the next worker's start after some that failed. */
import { expect, test } from "vitest";
import { StartBackoff } from "../../../../emulator/engine/workers/scaling/start-backoff.ts";

test("a worker that worked well ends the pause, and the next failure counts as the first", () => {
  const backoff = new StartBackoff();
  expect(backoff.failed(10_000, 9_000)).toBe(1_000);
  expect(backoff.failed(12_000, 11_000)).toBe(2_000);
  expect(backoff.notBefore).toBe(14_000);
  backoff.succeeded();
  expect(backoff.notBefore).toBeLessThanOrEqual(12_000);
  expect(backoff.failed(13_000, 12_500)).toBe(1_000);
});
