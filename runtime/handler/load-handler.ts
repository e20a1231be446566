/** Makes the user's handler ready: imports its module, finds the handler in it, runs its setup. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { LoadHead } from "../pipe/frame-kinds.ts";
import type { SetupContext } from "./contract.ts";
import { InitError } from "./init-error.ts";
import { readModule, type LoadedHandler } from "./read-module.ts";
import { resolveAs } from "./resolve-as.ts";
import { describeThrown } from "./thrown.ts";

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
    // Whatever it is, a module's namespace is an object.
    namespace = (await import(pathToFileURL(modulePath).href)) as typeof namespace;
  } catch (thrown) {
    if (thrown instanceof SyntaxError && modulePath === sourcePath) {
      const { syntaxPlaces } = await import("./syntax-place.ts");
      const places = await syntaxPlaces(thrown, sourcePath);
      if (places !== undefined) throw new InitError(`${name} cannot be imported:\n${places}`);
    }
    throw because(`${name} cannot be imported`, thrown);
  }
  return readModule(namespace, name);
}

/**
 * Gives what setup gives, undefined without one.
 *
 * @throws InitError when setup throws
 */
export async function runSetup(
  handler: LoadedHandler,
  context: SetupContext,
  sourcePath: string,
): Promise<unknown> {
  try {
    return await handler.setup?.(context);
  } catch (thrown) {
    throw because(`setup of ${path.basename(sourcePath)} failed`, thrown);
  }
}

function because(what: string, thrown: unknown): InitError {
  const { message, stack } = describeThrown(thrown);
  return new InitError(`${what}: ${message}`, stack);
}
