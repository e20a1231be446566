/** States which input is taken from the README beside a handler. */
import path from "node:path";
import { expect, test } from "vitest";
import { exampleInput } from "../../../../emulator/cli/serve/example-input.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

test("the first one that is whole and can be pasted", async () => {
  const long = `'{"input":{"text":"${"x".repeat(600)}"}}'`;
  await using tree = await temporaryTree({
    "a/README.md": `'{"input":{"sizes":[320,' ${long} -d '{"input":{"n":1,}}' -d '{"input":{"name":"Ada"}}' | jq
      -d '{"input":{"name":"Bob"}}'`,
    "b/README.md": "nothing to paste",
  });
  const inputOf = (name: string) => exampleInput(path.join(tree.root, name, "handler.ts"));
  expect(inputOf("a")).toBe('{"input":{"name":"Ada"}}');
  expect(inputOf("b")).toBeUndefined();
  expect(inputOf("none")).toBeUndefined();
});

test.each(["hello", "image-to-s3", "stream-tokens"])("the starter %s has one", (starter) => {
  const handler = path.resolve(import.meta.dirname, "../../../../templates", starter, "handler.ts");
  expect(exampleInput(handler)).toMatch(/^\{"input":\{".*\}\}$/);
});
