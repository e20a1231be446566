/** Exports of a config in TypeScript or JavaScript, and problems with their place. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryTree } from "../../../temporary-tree.ts";

const program = path.resolve(import.meta.dirname, "../../../fixtures/programs/reads-configs.ts");

/** Result of a separate process, which loads the configs without a bundler. */
async function read(files: Readonly<Record<string, string>>, ...names: string[]) {
  await using tree = await temporaryTree(files);
  const args = [program, ...names.map((name) => tree.path(name))];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  return { answers: JSON.parse(stdout) as unknown[], stderr };
}

const ENDPOINTS = `endpoints: { a: { handler: "a.ts" } }`;

test("a config exports an object, a promise, or a function that returns one of these", async () => {
  const files = {
    "a.mjs": `export default { ${ENDPOINTS}, port: 1 };`,
    "a.mts": `export default Promise.resolve({ ${ENDPOINTS}, port: 2 });`,
    "a.js": `export default () => ({ ${ENDPOINTS}, port: 3, host: undefined });`,
    "a.ts": `
      import { defineConfig, type ConfigInput } from "sv-runtime/config";
      enum Port { first = 4 }
      const base: ConfigInput = { ${ENDPOINTS} };
      export default defineConfig(async () => ({ ...base, port: await Promise.resolve(Port.first) }));`,
  };
  const { answers, stderr } = await read(files, ...Object.keys(files));
  expect(answers).toEqual([{ port: 1 }, { port: 2 }, { port: 3 }, { port: 4 }]);
  expect(stderr).toBe("");
});

test("a config can import files beside it, and packages found from its directory", async () => {
  const files = {
    "sub/sv.config.ts": `import { port } from "./ports"; import host from "host";
      export default { ${ENDPOINTS}, port, host, dataDir: import.meta.dirname };`,
    "sub/ports.ts": "export const port: number = 7;",
    "node_modules/host/package.json": `{"name": "host", "type": "module", "exports": "./index.js"}`,
    "node_modules/host/index.js": `export default "::1";`,
  };
  const { answers } = await read(files, "sub/sv.config.ts");
  expect(answers).toEqual([{ port: 7, host: "::1", dataDir: expect.stringMatching(/\/sub$/) }]);
});

test("a config runs each time it is read", async () => {
  const text = `let port = 0; export default () => ({ ${ENDPOINTS}, port: (port += 1) });`;
  const { answers } = await read({ "a.ts": text }, "a.ts", "a.ts");
  expect(answers).toEqual([{ port: 1 }, { port: 1 }]);
});

test("problems of a config are named with their places", async () => {
  const cases = {
    "wrong-key.ts": [
      `export default {\n  endpoints: { a: { handler: "a", gpu_cuont: 1 } },\n};`,
      /^UsageError: wrong-key\.ts:2:35: endpoints\.a has the unknown key "gpu_cuont"; did you mean gpuCount\?/,
    ],
    "made-elsewhere.ts": [
      `const make = () => ({ handler: 1 });\nexport default {\n  endpoints: { a: make() },\n};`,
      /^UsageError: made-elsewhere\.ts:3:19: endpoints\.a\.handler must be the path/,
    ],
    "nowhere.ts": [
      "const all = Object.fromEntries([['endpoints', 5]]);\nexport default all;",
      /^UsageError: nowhere\.ts: endpoints must be an object, endpoints by id; got 5$/,
    ],
    "syntax.ts": [
      "export default {\n  port: = 1\n};",
      /^UsageError: syntax\.ts:2:9: Unexpected "="$/,
    ],
    "throws.ts": [
      "type A = 1;\n\nexport default () => {\n  throw new Error('no such flag');\n};",
      /^UsageError: throws\.ts:4:9: the config cannot be run: no such flag$/,
    ],
    "throws-at-once.ts": [
      "interface A { a: 1 }\n\nthrow new Error('no');\nexport default {};",
      /^UsageError: throws-at-once\.ts:3:7: the config cannot be run: no$/,
    ],
    "throws-a-string.js": [
      "throw 'no';",
      /^UsageError: throws-a-string\.js: the config cannot be run: no$/,
    ],
    "no-default.ts": [
      "export const config = {};",
      /^UsageError: no-default\.ts: the config must be the default export: export default defineConfig/,
    ],
    "missing-file.ts": [
      `import x from "./not-there";\nexport default x;`,
      /^UsageError: missing-file\.ts:1:15: Could not resolve "\.\/not-there"$/,
    ],
    "missing-package.ts": [
      `import x from "not-there";\nexport default x;`,
      /^UsageError: missing-package\.ts.*: the config cannot be run: Cannot find package 'not-there'/,
    ],
  } as const;
  const texts = Object.entries(cases).map(([name, [text]]) => [name, text]);
  const { answers } = await read(
    Object.fromEntries(texts) as Record<string, string>,
    ...Object.keys(cases),
  );
  expect(answers).toEqual(
    Object.values(cases).map(([, sentence]): unknown => expect.stringMatching(sentence)),
  );
});
