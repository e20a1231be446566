/** Cases of `require`, CommonJS, and the place of a source. */
import { PACKAGES } from "./case-files.ts";
import type { ModuleCase } from "./module-case.ts";

export const REQUIRING: readonly ModuleCase[] = [
  {
    what: "`require` of a package, in a module with `import` and `export`",
    files: {
      ...PACKAGES,
      "handler.ts": `const old = require("old-pkg");\nimport { word } from "new-pkg";\nexport default (): unknown => [old.word, word, typeof require];`,
    },
    output: ["old", "new", "function"],
  },
  {
    what: "`require` of files beside the source: TypeScript, JSON, CommonJS",
    files: {
      "handler.ts": `import { inner } from "./sub/inner";\nconst { word } = require("./word");\nexport default (): unknown => [word, inner, require("./data.json").a, require("./old.cjs")];`,
      "word.ts": "export enum Word { A = 'a' }\nexport const word: Word = Word.A;",
      "sub/inner.ts": `export const inner: string = require("./word").word;`,
      "sub/word.ts": "export const word = 'inner';",
      "data.json": '{"a": 1}',
      "old.cjs": "module.exports = 'cjs';",
    },
    output: ["a", "inner", 1, "cjs"],
  },
  {
    what: "`require` with a computed name: a package, or a file below a directory",
    files: {
      ...PACKAGES,
      "handler.ts": `import { load } from "./sub/load";\nconst name: string = ["old", "pkg"].join("-");\nconst plug = (name: string) => require("./plugs/" + name + ".ts").plug;\nexport default (): unknown => [require(name).word, load("./near.cjs"), plug("a"), plug("b")];`,
      "sub/load.ts": "export const load = (name: string): unknown => require(name);",
      "sub/near.cjs": "module.exports = 'near';",
      "plugs/a.ts": "export const plug: string = 'A';",
      "plugs/b.ts": "export const plug: string = 'B';",
    },
    output: ["old", "near", "A", "B"],
  },
  {
    what: "`require.resolve`, `import.meta.resolve`: from the source file",
    files: {
      ...PACKAGES,
      "handler.ts": `import { own } from "./sub/own";\nimport { relative } from "node:path";\nconst from = (file: string) => relative(__dirname, file.replace("file://", ""));\nexport default (): unknown => [...own, require.resolve("old-pkg"), import.meta.resolve("new-pkg")].map(from);`,
      "sub/own.ts": `export const own = [require.resolve("./near.txt"), import.meta.resolve("./near.txt")];`,
      "sub/near.txt": "near",
    },
    output: [
      "sub/near.txt",
      "sub/near.txt",
      "node_modules/old-pkg/index.js",
      "node_modules/new-pkg/index.js",
    ],
  },
  {
    what: "`import.meta` (`url`, `dirname`, `filename`, also taken apart), `__dirname`, `__filename`: the source file",
    files: {
      "handler.ts": `import { own } from "./sub/own";\nimport { basename } from "node:path";\nexport default (): unknown => [...own, import.meta.filename, __filename].map((file) => basename(file));`,
      "sub/own.ts":
        "const { dirname, filename } = import.meta;\nexport const own = [import.meta.url, dirname, filename, __dirname, __filename];",
    },
    output: ["own.ts", "sub", "own.ts", "sub", "own.ts", "handler.ts", "handler.ts"],
  },
  {
    what: "a `require` of the source's own (`createRequire`)",
    files: {
      ...PACKAGES,
      "handler.ts": `import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\nexport default (): unknown => [require("old-pkg").word, require("./old.cjs")];`,
      "old.cjs": "module.exports = 'cjs';",
    },
    output: ["old", "cjs"],
  },
  {
    what: "own CommonJS (`.cjs`, `.cts`, `import x = require(…)`) that requires packages, from TypeScript",
    files: {
      ...PACKAGES,
      "handler.ts": `import one from "./one.cjs";\nimport { two } from "./two.cts";\nimport three = require("./three");\nexport default (): unknown => [one, two, three];`,
      "one.cjs":
        "module.exports = [require('old-pkg').word, require('path').basename(__filename)];",
      "two.cts": "const { word } = require('old-pkg');\nexports.two = word as string;",
      "three.ts": "const three: number = 3;\nexport = three;",
    },
    output: [["old", "one.cjs"], "old", 3],
  },
  {
    what: 'a handler in CommonJS (`.cts`, `.cjs`, `.js` with `"type": "commonjs"`) that requires modules',
    handler: "handler.cts",
    files: {
      ...PACKAGES,
      "handler.cts": `const { word } = require("new-pkg");\nconst { esm } = require("./esm.mts");\nmodule.exports = (): unknown => [word, esm];`,
      "esm.mts": "export const esm: string = 'esm';",
    },
    output: ["new", "esm"],
  },
  {
    what: 'JavaScript of a package with `"type": "commonjs"`, from TypeScript',
    files: {
      ...PACKAGES,
      "package.json": JSON.stringify({ type: "commonjs" }),
      "handler.ts": `import lib from "./lib.js";\nexport default (): unknown => lib.words;`,
      "lib.js": `const { word } = require("old-pkg");\nexports.words = [word, require("./more").more];`,
      "more.js": "exports.more = __filename.endsWith('more.js');",
    },
    output: ["old", true],
  },
  {
    what: "a source in another package, with packages and `imports` of its own",
    files: {
      "handler.ts": `import { words } from "./shared/words";\nexport default (): unknown => words;`,
      "shared/package.json": JSON.stringify({ imports: { "#near": "./near.js" } }),
      "shared/words.ts": `import { word } from "new-pkg";\nimport { near } from "#near";\nexport const words = [word, near, require("old-pkg").word];`,
      "shared/near.js": "export const near = 'near';",
      ...Object.fromEntries(
        Object.entries(PACKAGES).map(([file, text]) => [`shared/${file}`, text]),
      ),
    },
    output: ["new", "near", "old"],
  },
];
