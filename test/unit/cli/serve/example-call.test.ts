/** The example call in the README beside a handler. */
import path from "node:path";
import { expect, test } from "vitest";
import { exampleCall } from "../../../../emulator/cli/serve/example-call.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

test("the example call is the first complete one in the README", async () => {
  const long = `'{"input":{"text":"${"x".repeat(600)}"}}'`;
  await using tree = await temporaryTree({
    "a/README.md": `'{"input":{"sizes":[320,' ${long} -d '{"input":{"n":1,}}' -d '{"input":{"name":"Ada"}}' | jq
      -d '{"input":{"name":"Bob"}}'`,
    "b/README.md": "nothing to paste",
    "c/README.md": `curl /v2/my-endpoint/openai/v1/models
      curl http://127.0.0.1:7080/v2/my-endpoint/openai/v1/chat/completions -H "Authorization: Bearer k" \\
        -d '{"model":"m"}' | jq`,
  });
  const callOf = (name: string) => exampleCall(path.join(tree.root, name, "handler.ts"));
  expect(callOf("a")).toEqual({ path: "runsync", body: '{"input":{"name":"Ada"}}' });
  expect(callOf("b")).toBeUndefined();
  expect(callOf("c")).toEqual({ path: "openai/v1/chat/completions", body: '{"model":"m"}' });
  expect(callOf("none")).toBeUndefined();
});
