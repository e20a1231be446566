/** Size of a test run: the part for `npm test`, or with SV_TEST_FULL=1 everything (`npm run test:full`). */
import { test, type TestFunction } from "vitest";

/** Whether this is a full run. */
export const IS_FULL = process.env["SV_TEST_FULL"] === "1";

/** A number of repetitions or a list of cases: `usually` in `npm test`, `inFull` in the full run. */
export function sized<T>(usually: T, inFull: T): T {
  return IS_FULL ? inFull : usually;
}

/** A slow test of `npm run test:full` alone; `npm test` has a quicker one of its kind. */
export const testInFull: (title: string, run: TestFunction, timeoutMs?: number) => void = IS_FULL
  ? test
  : () => undefined;
