/** Cases of tsconfig.json: aliases, references, and decorators. */
import { installed, METADATA, PACKAGES } from "./case-files.ts";
import type { ModuleCase } from "./module-case.ts";

const json = (value: object): string => JSON.stringify(value);

/** `paths` of a project that the nearest tsconfig.json only refers to. */
const SOLUTION = {
  "tsconfig.json": json({
    files: [],
    references: [{ path: "./tsconfig.spec.json" }, { path: "./tsconfig.app.json" }],
  }),
  "tsconfig.spec.json": json({
    include: ["**/*.spec.ts"],
    compilerOptions: { paths: { "@app/*": ["./wrong/*"] } },
  }),
  "tsconfig.app.json": `{
    // Comments are allowed here.
    "include": ["src"],
    "compilerOptions": { "paths": { "@app/*": ["./src/*"] } },
  }`,
};

export const PROJECTS: readonly ModuleCase[] = [
  {
    what: "`paths` of the nearest tsconfig.json, of what it `extends` (also several, or a package)",
    files: {
      "tsconfig.json": json({ extends: ["./tsconfig.base.json", "@ours/tsconfig/strict.json"] }),
      "tsconfig.base.json": json({ compilerOptions: { paths: { "@app/*": ["./lib/*"] } } }),
      "node_modules/@ours/tsconfig/strict.json": json({ compilerOptions: { strict: true } }),
      "handler.ts": `import { word } from "@app/word";\nexport default (): string => word;`,
      "lib/word.ts": "export const word: string = 'lib';",
    },
    output: "lib",
  },
  {
    what: "`paths` of the project, among the `references` of the nearest tsconfig.json, that includes the file",
    handler: "src/handler.ts",
    files: {
      ...SOLUTION,
      "src/handler.ts": `import { word } from "@app/word";\nimport { also } from "@app/sub";\nexport default (): string[] => [word, also];`,
      "src/word.ts": "export const word: string = 'app';",
      "src/sub/index.ts": `export { word as also } from "@app/word.js";`,
      "wrong/word.ts": "export const word = 'wrong';",
    },
    output: ["app", "app"],
  },
  {
    what: "`imports` of package.json (`#lib/*`), which lead to TypeScript with enums",
    files: {
      "package.json": json({
        type: "module",
        imports: { "#lib/*": "./lib/*.ts", "#pkg": "new-pkg" },
      }),
      "handler.ts": `import { Kind } from "#lib/kind";\nimport { word } from "#pkg";\nexport default (): unknown => [Kind.Own, word];`,
      "lib/kind.ts": "export enum Kind { Own = 'own' }",
      ...PACKAGES,
    },
    output: ["own", "new"],
  },
  {
    what: "a linked package of a workspace in TypeScript, with enums, and a tsconfig.json and packages of its own",
    files: {
      "handler.ts": `import { words } from "@ours/words";\nexport default (): unknown => words;`,
      "packages/words/package.json": json({ name: "@ours/words", exports: "./src/index.ts" }),
      "packages/words/tsconfig.json": SOLUTION["tsconfig.json"],
      "packages/words/tsconfig.spec.json": SOLUTION["tsconfig.spec.json"],
      "packages/words/tsconfig.app.json": SOLUTION["tsconfig.app.json"],
      "packages/words/src/index.ts": `import { Kind } from "@app/kind";\nimport { word } from "new-pkg";\nexport const words = [Kind.Own, word];`,
      "packages/words/src/kind.ts": "export enum Kind { Own = 'own' }",
      ...Object.fromEntries(
        Object.entries(PACKAGES).map(([file, text]) => [`packages/words/${file}`, text]),
      ),
    },
    links: { "node_modules/@ours/words": "packages/words" },
    output: ["own", "new"],
  },
  {
    what: "options of such a project (`jsx`, `experimentalDecorators`, `useDefineForClassFields`)",
    handler: "apps/one/handler.tsx",
    files: {
      "tsconfig.base.json": json({
        compilerOptions: { paths: { "@libs/*": ["./libs/*/index.ts"] } },
      }),
      "apps/one/tsconfig.json": json({
        extends: "../../tsconfig.base.json",
        files: [],
        include: [],
        references: [{ path: "./tsconfig.app.json" }],
      }),
      "apps/one/tsconfig.app.json": json({
        extends: "./tsconfig.json",
        include: ["**/*.ts", "**/*.tsx"],
        compilerOptions: {
          jsx: "react",
          jsxFactory: "h",
          experimentalDecorators: true,
          useDefineForClassFields: false,
        },
      }),
      "apps/one/handler.tsx": `import { h } from "@libs/h";
const seen: string[] = [];
const note = (_: object, name: string): void => { seen.push(name); };
class Base { constructor() { this.set(); } set(): void {} }
class Own extends Base { value?: string; override set(): void { this.value = "kept"; } @note run(): void {} }
export default (): unknown => [<p id="a" />, new Own().value ?? null, seen];`,
      "libs/h/index.ts": "export const h = (...parts: unknown[]): unknown => parts;",
    },
    output: [["p", { id: "a" }], "kept", ["run"]],
  },
  {
    what: "an alias that no project knows",
    handler: "src/handler.ts",
    files: {
      ...SOLUTION,
      "src/handler.ts": `import { word } from "@other/word";\nexport default (): string => word;`,
    },
    refused: /@other\/word.*tsconfig\.app\.json/su,
  },
  {
    what: "`emitDecoratorMetadata`, with `typescript` (up to version 6) in the project",
    files: {
      ...METADATA,
      "node_modules/typescript/index.js": installed(
        "@arethetypeswrong/core/node_modules/typescript",
      ),
    },
    output: ["Dep", "Number", "Object"],
  },
  {
    what: "`emitDecoratorMetadata`, with `@swc/core` in the project",
    files: { ...METADATA, "node_modules/@swc/core/index.js": installed("@swc/core") },
    output: ["Dep", "Number", "Object"],
  },
  {
    what: "`emitDecoratorMetadata` without such a compiler, for example with TypeScript 7 alone",
    files: { ...METADATA, "node_modules/typescript/index.js": `exports.version = "7.0.2";` },
    refused:
      /handler\.ts has decorators, and "emitDecoratorMetadata" in .*tsconfig\.json .* npm install --save-dev @swc\/core/u,
  },
];
