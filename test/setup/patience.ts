/** Timeouts of tests for steps that take no time on a quiet machine: they catch what hangs, and measure nothing. */

/** Timeout of a test, and of a hook. Beside busy loops, or on a slow disk, each step takes several times as long. */
export const TEST_MS = 300_000;

/** Timeout of a poll: shorter, so that the test reports what did not happen. */
export const LOOK_MS = 90_000;
