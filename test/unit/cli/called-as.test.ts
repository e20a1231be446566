/** Commands in messages begin as the user has typed them. */
import { expect, test } from "vitest";
import { asCalled } from "../../../emulator/cli/called-as.ts";

const HELP = "Usage: sv-emulate [targets...]\nsv-emulate init, not sv-emulated";

test("a text names the program as it was called", () => {
  expect(asCalled(HELP, "/p/node_modules/.bin/sv-emulate")).toBe(HELP);
  expect(asCalled(HELP, "/p/node_modules/sv-runtime/dist/emulator/cli/sv-emulate.js")).toBe(HELP);
  const other = "Usage: npx sv-runtime [targets...]\nnpx sv-runtime init, not sv-emulated";
  for (const name of ["sv-runtime", "sv-runtime.cmd"]) {
    expect(asCalled(HELP, `/p/node_modules/.bin/${name}`)).toBe(other);
  }
});
