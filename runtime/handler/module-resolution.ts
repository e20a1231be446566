/** Resolves the imports of a handler's bundle as if it were at the source's path. `sv-runtime` resolves from anywhere. */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const OWN_NAME = "sv-runtime";

/**
 * A bundle is in a cache directory, outside the project with its `node_modules`. A handler without a project has no
 * `node_modules`, but may still import this package: it gets the running one.
 */
export function resolveAs(modulePath: string, sourcePath: string): void {
  const bundle = pathToFileURL(modulePath).href;
  const source = pathToFileURL(sourcePath).href;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const moved = context.parentURL === bundle && bundle !== source;
      const asked = moved ? { ...context, parentURL: source } : context;
      try {
        return nextResolve(specifier, asked);
      } catch (error) {
        const own = specifier === OWN_NAME ? ownEntry() : undefined;
        if (own === undefined || !isNotFound(error)) throw error;
        return { url: own, shortCircuit: true };
      }
    },
  });
}

function isNotFound(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
}

/** A module of the parent folder, with the ending `.ts` in the source tree and `.js` in the package. */
function ownEntry(): string {
  const ending = path.extname(import.meta.filename) === ".ts" ? ".ts" : ".js";
  return pathToFileURL(path.join(import.meta.dirname, "..", `index${ending}`)).href;
}
