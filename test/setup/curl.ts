/** The program curl, for tests that call the service as the documents say. */
import { whatIsMissing } from "./debian-program.ts";

/** Why those tests are left out here; undefined where they run. Under CI they are never left out. */
export const curlIsMissing: string | undefined = whatIsMissing("tests with curl", ["curl"]);
