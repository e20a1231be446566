/** A syntax error in a JavaScript handler is reported with file, line and column, as in TypeScript. */
import { expect, test } from "vitest";
import { temporaryTree } from "../../../../temporary-tree.ts";
import { WorkerRun } from "../../worker-run.ts";

const BROKEN = "export const broken = () => {\n  return 7 +;\n};\n";
const GOOD = "export default () => 7;\n";

const cases: readonly {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly handler: string;
  /** Text after `cannot be imported:`, with the tree's root before it. */
  readonly says: string;
}[] = [
  {
    what: "a module",
    files: { "handler.mjs": BROKEN },
    handler: "handler.mjs",
    says: '/handler.mjs:2:13: Unexpected ";"',
  },
  {
    what: "a file that the handler imports, and one that this imports",
    files: {
      "handler.mjs": `import "./deep/between.mjs";\n${GOOD}`,
      "deep/between.mjs": `import process from "node:process";\nimport "../broken.js";\n`,
      "broken.js": BROKEN,
    },
    handler: "handler.mjs",
    says: '/broken.js:2:13: Unexpected ";"',
  },
  {
    what: "a module in CommonJS form",
    files: { "handler.cjs": "module.exports = () => {\n  return 7 +;\n};\n" },
    handler: "handler.cjs",
    says: "/handler.cjs:2:13: Unexpected token ';'",
  },
  {
    what: "an import of what is not exported",
    files: { "handler.mjs": `import { nothing } from "node:path";\n${GOOD}` },
    handler: "handler.mjs",
    says: "/handler.mjs:1:10: The requested module 'node:path' does not provide an export named 'nothing'",
  },
];

test.each(cases)("$what", async ({ files, handler, says }) => {
  await using tree = await temporaryTree(files);
  await using run = new WorkerRun(tree.path(handler));
  expect(await run.source.initFailure.promise).toEqual({
    type: "handler_error",
    message: `${handler} cannot be imported:\n${tree.root}${says}`,
  });
  expect(await run.worker.ended).toBe("handler-unusable");
});

test("a SyntaxError that the handler's own code throws keeps its text and stack", async () => {
  await using tree = await temporaryTree({ "handler.mjs": `JSON.parse("{");\n${GOOD}` });
  await using run = new WorkerRun(tree.path("handler.mjs"));
  expect(await run.source.initFailure.promise).toEqual({
    type: "handler_error",
    message: expect.stringMatching(/^handler\.mjs cannot be imported: Expected property name/),
    stack: expect.stringContaining("handler.mjs:1:6"),
  });
});
