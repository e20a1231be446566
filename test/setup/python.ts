/** Python, for tests with workers that are written in it; its standard library is enough. */
import { whatIsMissing } from "./debian-program.ts";

/** Why those tests are left out here; undefined where they run. Under CI they are never left out. */
export const pythonIsMissing: string | undefined = whatIsMissing("tests with workers in Python", [
  "python3",
]);
