/** Plugins of the bundler that note the files of a build, also in packages of a workspace. */
import fs from "node:fs";
import path from "node:path";
import type { Plugin } from "esbuild";
import { isLinked } from "../../runtime/load/own-imports.ts";
import { LOADERS } from "../../runtime/load/own-sources.ts";
import { type Programs, withPrograms } from "../../runtime/load/programs.ts";

const CODE = /\.(?:[cm]?[jt]sx?|json)$/u;

/** Adds every file that is read to `files`, also when the build fails. */
export function noteFiles(files: Set<string>): Plugin {
  return {
    name: "note-files",
    setup(build) {
      build.onLoad({ filter: /$/, namespace: "file" }, ({ path: file }) => {
        files.add(file);
        return undefined;
      });
      // Not loaded by the build.
      build.onResolve({ filter: /^[./].*\.(?:node|wasm)$/ }, ({ path: file, resolveDir }) => {
        files.add(path.resolve(resolveDir, file));
        return undefined;
      });
    },
  };
}

/**
 * Follows imports as Node will, only to note the files, and the programs that they start. It follows them into packages that are
 * linked from a workspace, not into installed ones. Files that are not code have no imports.
 */
export const followImports: Plugin = {
  name: "follow-imports",
  setup(build) {
    build.onResolve({ filter: /^[^./#]/ }, ({ path: specifier, importer, kind }) =>
      kind === "entry-point" || path.isAbsolute(specifier) || isLinked(specifier, importer)
        ? undefined
        : { path: specifier, external: true },
    );
    build.onLoad({ filter: /$/, namespace: "file" }, async ({ path: file }) => {
      if (!CODE.test(file)) return { contents: "", loader: "empty" };
      const loader = LOADERS[path.extname(file)];
      if (loader === undefined) return undefined;
      const source = await fs.promises.readFile(file, "utf8");
      const programs: Programs = new Map();
      withPrograms(source, file, (place) => place, programs);
      const started = Array.from(
        programs.keys(),
        (program) => `import(${JSON.stringify(program)})`,
      );
      return { contents: [source, ...started].join("\n;"), loader };
    });
  },
};
