/** Files that several cases of modules need: packages, binaries, and classes with decorators. */
import { readFileSync } from "node:fs";
import path from "node:path";

/** A package of ES modules, and one in CommonJS. */
export const PACKAGES = {
  "node_modules/new-pkg/package.json": JSON.stringify({
    ...{ name: "new-pkg", type: "module" },
    exports: { module: "./not-for-node.js", default: "./index.js" },
  }),
  "node_modules/new-pkg/index.js": "export const word = 'new';",
  "node_modules/new-pkg/not-for-node.js": "throw new Error('for bundlers');",
  "node_modules/old-pkg/package.json": JSON.stringify({ name: "old-pkg" }),
  "node_modules/old-pkg/index.js": "exports.word = 'old';",
} as const;

/** Exports `add(i32, i32): i32`. */
export const ADD_WASM = Buffer.from(
  "AGFzbQEAAAABBwFgAn9/AX8DAgEABwcBA2FkZAAACgkBBwAgACABags=",
  "base64",
);

const modules = path.resolve(import.meta.dirname, "../../../node_modules");
const platform = `${process.platform}-${process.arch}`;

/** A native addon of a package that is installed here. */
export const ADDON = readFileSync(
  path.join(modules, `@msgpackr-extract/msgpackr-extract-${platform}/node.napi.glibc.node`),
);

/** A module that stands for a package which is installed here. */
export function installed(name: string): string {
  return `module.exports = require(${JSON.stringify(path.join(modules, name))});`;
}

/** A class whose decorator reads the types of the constructor's parameters. */
export const METADATA = {
  "tsconfig.json": JSON.stringify({
    compilerOptions: { experimentalDecorators: true, emitDecoratorMetadata: true },
  }),
  "handler.ts": `import { typesOf } from "./reflect";
import { Dep, type Other } from "./dep";
const injectable = (_: unknown): void => {};
@injectable
class Service { constructor(readonly dep: Dep, readonly size: number, readonly other?: Other) {} }
export default (): unknown => typesOf(Service);`,
  "dep.ts": "export class Dep {}\nexport interface Other { readonly a: 1 }",
  "reflect.ts": `const types = new WeakMap<object, readonly { readonly name: string }[]>();
Object.assign(Reflect, {
  metadata: (key: string, value: readonly { readonly name: string }[]) => (target: object): void => {
    if (key === "design:paramtypes") types.set(target, value);
  },
});
export const typesOf = (target: object): readonly string[] => (types.get(target) ?? []).map(({ name }) => name);`,
} as const;
