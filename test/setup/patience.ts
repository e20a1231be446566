/** Timeouts of tests for things that are immediate on a quiet machine: nets for what hangs. They measure nothing. */

/** Timeout of a test, and of a hook. Beside busy loops, or on a slow disk, everything takes several times as long. */
export const TEST_MS = 300_000;

/** Timeout of a poll: shorter, so that the test says what did not happen. */
export const LOOK_MS = 90_000;
