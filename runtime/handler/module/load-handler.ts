/** Loads the user's handler: imports its module and finds the handler in it. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { LoadHead } from "../../pipe/frame-kinds.ts";
import { InitError } from "../init-error.ts";
import { readModule, type LoadedHandler } from "./read-module.ts";
import { resolveAs } from "../module-resolution.ts";
import { describeThrown } from "../thrown.ts";

/**
 * Imports the module.
 *
 * @throws InitError with a sentence that names the module
 */
export async function importHandler({ modulePath, sourcePath }: LoadHead): Promise<LoadedHandler> {
  const name = path.basename(sourcePath);
  resolveAs(modulePath, sourcePath);
  let namespace: Readonly<Record<string, unknown>>;
  try {
    // The namespace of any module is an object.
    namespace = (await import(pathToFileURL(modulePath).href)) as typeof namespace;
  } catch (thrown) {
    if (thrown instanceof SyntaxError && modulePath === sourcePath) {
      const { syntaxPlaces } = await import("./syntax-place.ts");
      const places = await syntaxPlaces(thrown, sourcePath);
      if (places !== undefined) throw new InitError(`${name} cannot be imported:\n${places}`);
    }
    const { message, stack } = describeThrown(thrown);
    const { importHint } = await import("../../load/import-hint.ts");
    const hint = await importHint(thrown, sourcePath);
    throw new InitError(`${name} cannot be imported: ${message}${hint}`, stack);
  }
  return readModule(namespace, name);
}
