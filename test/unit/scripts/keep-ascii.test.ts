/** Bundles are ASCII, and keep their meaning. */
import fs from "node:fs";
import path from "node:path";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { keepAscii } from "../../../scripts/bundle-programs.ts";
import { temporaryTree } from "../../temporary-tree.ts";

it.each([
  ["/^…?x$/", "…x"],
  ["/^…?x$/u", "…x"],
  ["/^😀+$/u", "😀😀"],
  ["/^[😀]+$/u", "😀"],
  ["/^(?:😀)+$/", "😀😀"],
])("the pattern %s still matches %s", async (pattern, text) => {
  await using tree = await temporaryTree({ "a.cjs": `// … 😀\n${pattern}` });
  const file = path.join(tree.root, "a.cjs");
  keepAscii(file);
  const kept = fs.readFileSync(file, "utf8");
  expect(kept).toMatch(/^\p{ASCII}*$/u);
  expect((runInNewContext(kept) as RegExp).test(text)).toBe(true);
});
