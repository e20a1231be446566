/** How long tests wait for what is there at once on a quiet machine: nets for what hangs. They measure nothing. */

/** Timeout of a test, and of a hook. Beside busy loops, or on a slow disk, everything takes several times as long. */
export const TEST_MS = 300_000;

/** Timeout of one look at something that is about to happen: shorter, so that the test says what did not happen. */
export const LOOK_MS = 90_000;
