/** Workers report the package's version to the service. */
import fs from "node:fs";
import { expect, test } from "vitest";
import { RUNTIME_VERSION } from "../../../runtime/version.ts";

test("RUNTIME_VERSION is the version in package.json", () => {
  const file = new URL("../../../package.json", import.meta.url);
  expect(JSON.parse(fs.readFileSync(file, "utf8"))).toMatchObject({ version: RUNTIME_VERSION });
});
