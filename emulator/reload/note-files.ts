/** Plugins of the bundler that tell which files a build looks at, in packages of a workspace as well. */
import fs from "node:fs";
import { findPackageJSON, isBuiltin } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

/** The service brings it itself. */
const OWN_NAME = "sv-runtime";

const CODE = /\.(?:[cm]?[jt]sx?|json)$/u;

/** Puts every file that is read into `files`, also when the build fails. */
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
 * Follows imports as they will be followed when the code runs, in order to learn of the files only: into packages that
 * are linked from a workspace, but not into installed ones. What is no code has no imports.
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

/** True for an import of a package whose own files lie outside of any `node_modules`. */
export function isLinked(specifier: string, importer: string): boolean {
  if (isBuiltin(specifier) || specifier.split("/")[0] === OWN_NAME) return false;
  try {
    const manifest = findPackageJSON(specifier, pathToFileURL(importer));
    return manifest !== undefined && !isInstalled(fs.realpathSync(manifest));
  } catch {
    // It is not there; whoever runs the code will hear of that.
    return false;
  }
}

function isInstalled(file: string): boolean {
  return file.split(path.sep).includes("node_modules");
}
