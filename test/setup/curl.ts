/** The program curl, for tests that call the service like the documents. */
import { whatIsMissing } from "./debian-program.ts";

/** Reason that these tests are left out here; undefined if they run. Under CI they are never left out. */
export const curlIsMissing: string | undefined = whatIsMissing("tests with curl", ["curl"]);
