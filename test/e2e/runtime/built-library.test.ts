/** The built library contains the modules that it loads on demand. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type * as Library from "../../../runtime/index.ts";

test("startWorker of the built package names the missing setting", async () => {
  const entry = path.resolve(import.meta.dirname, "../../../dist/runtime/index.js");
  const library = (await import(pathToFileURL(entry).href)) as typeof Library;
  await expect(library.startWorker("handler.ts")).rejects.toMatchObject({
    code: "missing_setting",
  });
});
