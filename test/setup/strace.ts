/** The program strace, for tests that end a process at a chosen system call. */
import { whatIsMissing } from "./debian-program.ts";

/** Why those tests are left out here; undefined where they run. Under CI they are never left out. */
export const straceIsMissing: string | undefined = whatIsMissing(
  "tests of kills at a system call",
  ["strace"],
);
