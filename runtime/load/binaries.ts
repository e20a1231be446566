/** An esbuild plugin: native addons and WebAssembly modules stay files of their own, which Node loads. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

const ADDONS = "addon";

/** @param placeOf the path of a file at the time when the bundle runs */
export function binaries(placeOf: (file: string) => string): Plugin {
  return {
    name: "binaries",
    setup(build) {
      build.onResolve(
        { filter: /^(?:\.|\/).*\.(?:node|wasm)$/ },
        ({ path: specifier, ...args }) => {
          const file = path.resolve(args.resolveDir, specifier);
          const isImport = !args.kind.startsWith("require");
          if (!isImport) return { path: placeOf(file), external: true };
          return file.endsWith(".node")
            ? { path: file, namespace: ADDONS }
            : { path: pathToFileURL(placeOf(file)).href, external: true };
        },
      );
      // Node loads addons by `require` alone.
      build.onLoad({ filter: /$/, namespace: ADDONS }, ({ path: file }) => ({
        contents: `module.exports = require(${JSON.stringify(file)});`,
        resolveDir: path.dirname(file),
      }));
    },
  };
}
