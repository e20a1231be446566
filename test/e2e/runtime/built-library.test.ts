/** The built library: the package contains modules that are loaded on demand. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type * as Library from "../../../runtime/index.ts";

test("startWorker of the built package says which setting is missing", async () => {
  const entry = path.resolve(import.meta.dirname, "../../../dist/runtime/index.js");
  const library = (await import(pathToFileURL(entry).href)) as typeof Library;
  await expect(library.startWorker("handler.ts")).rejects.toMatchObject({
    code: "missing_setting",
  });
});
