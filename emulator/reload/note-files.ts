/** Plugins of the bundler that note the files of a build, also in packages of a workspace. */
import fs from "node:fs";
import { findPackageJSON, isBuiltin } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

/** Name of this package, which the service provides. */
const OWN_NAME = "sv-runtime";

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
    },
  };
}

/**
 * Follows imports as Node will, only to note the files. It follows them into packages that are linked from a workspace, not into
 * installed ones. Files that are not code have no imports.
 */
export const followImports: Plugin = {
  name: "follow-imports",
  setup(build) {
    build.onResolve({ filter: /^[^./#]/ }, ({ path: specifier, importer, kind }) =>
      kind === "entry-point" || path.isAbsolute(specifier) || isLinked(specifier, importer)
        ? undefined
        : { path: specifier, external: true },
    );
    build.onLoad({ filter: /$/, namespace: "file" }, ({ path: file }) =>
      CODE.test(file) ? undefined : { contents: "", loader: "empty" },
    );
  },
};

/** True for an import of a package with files outside of any `node_modules`. */
export function isLinked(specifier: string, importer: string): boolean {
  if (isBuiltin(specifier) || specifier.split("/")[0] === OWN_NAME) return false;
  try {
    const manifest = findPackageJSON(specifier, pathToFileURL(importer));
    return manifest !== undefined && !isInstalled(fs.realpathSync(manifest));
  } catch {
    // The package is missing. Running the code will report that.
    return false;
  }
}

function isInstalled(file: string): boolean {
  return file.split(path.sep).includes("node_modules");
}
