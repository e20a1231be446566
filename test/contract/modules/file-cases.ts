/** Cases of imported files that are not code. */
import { ADDON, ADD_WASM } from "./case-files.ts";
import type { ModuleCase } from "./module-case.ts";

export const FILES: readonly ModuleCase[] = [
  {
    what: '`.json`, with or without `with { type: "json" }`',
    files: {
      "handler.ts": `import a from "./a.json";\nimport b from "./a.json" with { type: "json" };\nexport default (): unknown => [a.n, b.n];`,
      "a.json": '{"n": 1}',
    },
    output: [1, 1],
  },
  {
    what: "`.css`, `.csv`, `.gql`, `.graphql`, `.html`, `.md`, `.sql`, `.txt`, `.xml`, `.yaml`, `.yml`: their text",
    files: {
      "handler.ts": `import sql from "./q.sql";\nimport md from "./sub/a.md";\nimport css from "./a.css";\nexport default async (): Promise<unknown> => [sql, md, css, (await import("./b.yaml")).default];`,
      "q.sql": "select 1",
      "sub/a.md": "# A",
      "a.css": "a {}",
      "b.yaml": "b: 1",
    },
    output: ["select 1", "# A", "a {}", "b: 1"],
  },
  {
    what: 'any file with `with { type: "text" }` or `with { type: "bytes" }`',
    files: {
      "handler.ts": `import text from "./a.jinja" with { type: "text" };\nimport source from "./other.ts" with { type: "text" };\nimport bytes from "./a.jinja" with { type: "bytes" };\nexport default (): unknown => [text, source, bytes instanceof Uint8Array, [...bytes]];`,
      "a.jinja": "{{",
      "other.ts": "enum X {}",
    },
    output: ["{{", "enum X {}", true, [123, 123]],
  },
  {
    what: "the texts in JavaScript",
    handler: "handler.mjs",
    files: {
      "handler.mjs": `import sql from "./q.sql";\nimport text from "./a.jinja" with { type: "text" };\nimport bytes from "./a.jinja" with { type: "bytes" };\nimport { old } from "./old.cjs";\nexport default () => [sql, text, [...bytes], old];`,
      "old.cjs": `exports.old = require("./q.sql");`,
      "q.sql": "select 1",
      "a.jinja": "{{",
    },
    output: ["select 1", "{{", [123, 123], "select 1"],
  },
  {
    what: "another file without an attribute",
    files: {
      "handler.ts": `import a from "./a.jinja";\nexport default (): unknown => a;`,
      "a.jinja": "{{",
    },
    refused:
      /handler\.ts:1:15: a\.jinja is not code: add with \{ type: "text" \} .* readFileSync\(new URL/u,
  },
  {
    what: "another file without an attribute, in JavaScript",
    handler: "handler.mjs",
    files: {
      "handler.mjs": `import a from "./a.jinja";\nexport default () => a;`,
      "a.jinja": "{{",
    },
    refused: /a\.jinja.* add with \{ type: "text" \} .* readFileSync\(new URL/u,
  },
  {
    what: "`.json` with comments",
    files: {
      "handler.ts": `import a from "./a.json";\nexport default (): unknown => a;`,
      "a.json": '{\n  // one\n  "n": 1 }',
    },
    refused: /a\.json:2:3: JSON does not support comments: .* readFileSync\(new URL/u,
  },
  {
    what: "`.wasm`: its exports, or with `import source` the module",
    files: {
      "handler.ts": `import { add } from "./add.wasm";\nimport source module from "./add.wasm";\nexport default (): unknown => [add(1, 2), module instanceof WebAssembly.Module];`,
      "add.wasm": ADD_WASM,
    },
    output: [3, true],
  },
  {
    what: "`.wasm` in JavaScript",
    handler: "handler.mjs",
    files: {
      "handler.mjs": `import { add } from "./add.wasm";\nexport default () => add(1, 2);`,
      "add.wasm": ADD_WASM,
    },
    output: 3,
  },
  {
    what: "`.node`, by `import` or `require`",
    files: {
      "handler.ts": `import addon from "./own.node";\nexport default (): unknown => [typeof addon, addon === require("./own.node")];`,
      "own.node": ADDON,
    },
    output: ["object", true],
  },
  {
    what: "`.node` in JavaScript",
    handler: "handler.mjs",
    files: {
      "handler.mjs": `import addon from "./own.node";\nexport default () => typeof addon;`,
      "own.node": ADDON,
    },
    output: "object",
  },
  {
    what: 'a file that is read: `readFileSync(new URL("./a.bin", import.meta.url))`',
    files: {
      "handler.ts": `import fs from "node:fs";\nexport default (): unknown => fs.readFileSync(new URL("./a.bin", import.meta.url), "utf8") + fs.readFileSync(__dirname + "/a.bin", "utf8");`,
      "a.bin": "!",
    },
    output: "!!",
  },
];
