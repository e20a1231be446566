/** How much a run of the tests takes in: what `npm test` has time for, or with SV_TEST_FULL=1 everything (`npm run test:full`). */

/** Whether this run is one of everything, at its full size. */
export const IS_FULL = process.env["SV_TEST_FULL"] === "1";

/** How many times something is done, or for which cases: `usually` in `npm test`, `inFull` where everything is run. */
export function sized<T>(usually: T, inFull: T): T {
  return IS_FULL ? inFull : usually;
}
