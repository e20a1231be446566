/** The program strace, for tests that end a process at a chosen system call. */
import { whatIsMissing } from "./debian-program.ts";

/**
 * Why those tests are left out here; undefined where they run. Under CI they are never left out.
 *
 * A container may have the program and not be allowed to trace.
 */
export const straceIsMissing: string | undefined = whatIsMissing(
  "tests of kills at a system call",
  [{ name: "strace", package: "strace", probe: ["strace", "-f", "-o", "/dev/null", "true"] }],
);
