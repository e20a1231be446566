/** Python with its standard library alone, for tests with workers in Python. */
import { whatIsMissing } from "./debian-program.ts";

/** Reason that these tests are left out here; undefined if they run. Under CI they are never left out. */
export const pythonIsMissing: string | undefined = whatIsMissing("tests with workers in Python", [
  "python3",
]);
