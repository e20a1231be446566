/** All TypeScript in the documents compiles under the project's own strict settings. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../../unit/docs/documents.ts";
import { writeSnippets } from "../../unit/docs/snippets.ts";

function compile(directory: string): string {
  const compiler = path.join(root, "node_modules/typescript/bin/tsc");
  const args = [compiler, "-p", directory, "--pretty", "false"];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory });
  return `${stdout.toString()}${stderr.toString()}`;
}

test("every TypeScript snippet of the documents compiles, and a snippet with a type error is found", () => {
  using written = writeSnippets();
  const documents = new Set(written.snippets.map(({ document }) => document));
  expect([...documents]).toEqual(
    expect.arrayContaining([
      "README.md",
      "docs/client.md",
      ...["handlers", "streaming", "deadlines", "failures", "testing"].map(
        (guide) => `docs/${guide}.md`,
      ),
    ]),
  );
  // One snippet has an error: the compiler must report it at its line of the document.
  const { file } = written.snippets[0] ?? { file: "" };
  fs.appendFileSync(file, "const wrong: string = 7;\n");
  const line = fs.readFileSync(file, "utf8").split("\n").length - 1;
  const place = path.relative(written.directory, file);
  expect(compile(written.directory)).toBe(
    `${place}(${line},7): error TS2322: Type 'number' is not assignable to type 'string'.\n`,
  );
});

test("runnable snippets show their output, or print nothing", () => {
  using written = writeSnippets();
  const runnable = written.snippets.filter(({ isRunnable }) => isRunnable);
  expect(runnable.length).toBeGreaterThan(15);
  const idle = written.snippets.filter(
    ({ isRunnable, prints }) => !isRunnable && prints.length > 0,
  );
  expect(idle).toEqual([]);
});
