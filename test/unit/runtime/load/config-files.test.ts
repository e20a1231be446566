/** The files that configure a build are known, so that a change of them makes it again. */
import { expect, test } from "vitest";
import { configFilesOf } from "../../../../runtime/load/config-files.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

test("what a tsconfig.json extends and refers to configures a build as well", async () => {
  await using tree = await temporaryTree({
    "package.json": "{}",
    "tsconfig.base.json": "{}",
    "app/tsconfig.json": `{
      "extends": ["../tsconfig.base", "@ours/tsconfig"],
      // One in this directory, one in a directory, and one that refers back.
      "references": [{ "path": "tsconfig.app.json" }, { "path": "./lib" }],
    }`,
    "app/tsconfig.app.json": `{ "references": [{ "path": "./tsconfig.json" }] }`,
    "app/lib/tsconfig.json": `{ "extends": "./more.json" }`,
    "app/lib/more.json": "{}",
    "app/src/handler.ts": "",
  });
  const found = await configFilesOf(new Set([tree.path("app/src/handler.ts")]));
  const expected = [
    ...["package.json", "tsconfig.base.json", "app/tsconfig.json", "app/tsconfig.app.json"],
    ...["app/lib/tsconfig.json", "app/lib/more.json"],
  ];
  const inTree = [...found].filter((file) => file.startsWith(tree.root));
  expect(inTree.toSorted()).toEqual(expected.map((file) => tree.path(file)).toSorted());
});
