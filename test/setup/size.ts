/** Size of a test run: the part that fits into `npm test`, or with SV_TEST_FULL=1 everything (`npm run test:full`). */
import { test, type TestFunction } from "vitest";

/** Whether this run is one of everything, at its full size. */
export const IS_FULL = process.env["SV_TEST_FULL"] === "1";

/** A number of repetitions or a list of cases: `usually` in `npm test`, `inFull` in the full run. */
export function sized<T>(usually: T, inFull: T): T {
  return IS_FULL ? inFull : usually;
}

/** A test of `npm run test:full` alone: it is slow by nature, and `npm test` has a quicker one of its kind. */
export const testInFull: (title: string, run: TestFunction, timeoutMs?: number) => void = IS_FULL
  ? test
  : () => undefined;
