/** An esbuild plugin: bundled code still finds files beside its source. */
import fs from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Loader, Plugin } from "esbuild";

const LOADERS: Readonly<Record<string, Loader>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
};

const ASKS = /import\.meta|__dirname|__filename/u;

const names = {
  "import.meta.url": "__svSourceUrl",
  "import.meta.dirname": "__svSourceDirname",
  "import.meta.filename": "__svSourceFilename",
  __dirname: "__svSourceDirname",
  __filename: "__svSourceFilename",
} as const;

/**
 * `import.meta.url`, `import.meta.dirname` and `import.meta.filename` keep the values of each source file. For example,
 * `new URL("./corpus.txt", import.meta.url)` works in a bundle that lies elsewhere.
 *
 * @param placeOf returns the path of a source file at the time when the bundle runs
 */
export function keepSourceLocation(placeOf: (file: string) => string): Plugin {
  return {
    name: "keep-source-location",
    setup(build) {
      build.initialOptions.define = { ...build.initialOptions.define, ...names };
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, async ({ path: file }) => {
        const loader = LOADERS[path.extname(file)];
        if (loader === undefined) return undefined;
        const source = await fs.readFile(file, "utf8");
        if (!ASKS.test(source)) return { contents: source, loader };
        return { contents: located(source, placeOf(file)), loader };
      });
    },
  };
}

/** The definitions share the first line with the code, so that every line keeps its number. */
function located(source: string, file: string): string {
  const definitions =
    `const __svSourceUrl=${JSON.stringify(pathToFileURL(file).href)},` +
    `__svSourceDirname=${JSON.stringify(path.dirname(file))},` +
    `__svSourceFilename=${JSON.stringify(file)};`;
  return source.startsWith("#!") ? `${definitions}//${source}` : definitions + source;
}
