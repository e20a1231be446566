/** Turns the file or directory that a user names into a module that Node can import. */
import fs from "node:fs";
import path from "node:path";
import type { PreparedHandler } from "./bundle-handler.ts";
import { readNote } from "./bundle-note.ts";
import { HandlerFileError } from "./handler-file-error.ts";

export interface PrepareOptions {
  /**
   * Directory for bundles. Default: `sv-runtime/handlers` in the user's cache directory, or else in the system's directory for
   * temporary files.
   */
  readonly cacheDir?: string;
}

/** File name extensions of handlers. In a directory the first existing file counts. */
export const HANDLER_ENDINGS = [".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs"] as const;
const IMPORTABLE = new Set([".js", ".mjs", ".cjs"]);
const TO_BUNDLE = new Set([".ts", ".tsx", ".mts", ".cts"]);

/** Whether Node can import the file without a bundle. */
export function isImportable(file: string): boolean {
  return IMPORTABLE.has(path.extname(file));
}

/**
 * Prepares a handler. JavaScript is imported unchanged. TypeScript is bundled into one module, outside the user's directories.
 * A module that was prepared earlier is returned unchanged.
 *
 * @param target a file, or a directory that holds a `handler` with one of their endings
 * @throws HandlerFileError if the file does not exist, or cannot be built; the message names the place
 */
export async function prepareHandler(
  target: string,
  options: PrepareOptions = {},
): Promise<PreparedHandler> {
  return prepare(target, "handler", options);
}

/** Prepares the HTTP server of a load balancing endpoint; a directory holds a `server.ts` or the like. */
export async function prepareServer(target: string): Promise<PreparedHandler> {
  return prepare(target, "server", {});
}

async function prepare(
  target: string,
  stem: "handler" | "server",
  options: PrepareOptions,
): Promise<PreparedHandler> {
  const sourcePath = findFile(path.resolve(target), stem);
  const extension = path.extname(sourcePath);
  if (TO_BUNDLE.has(extension)) {
    const { bundleHandler } = await import("./bundle-handler.ts");
    return bundleHandler(sourcePath, options.cacheDir);
  }
  if (!isImportable(sourcePath)) {
    throw new HandlerFileError(
      `${sourcePath} is no ${stem}: its name must end in ${HANDLER_ENDINGS.join(", ")}.`,
    );
  }
  if (extension === ".mjs") {
    const note = readNote(sourcePath);
    if (note !== undefined) {
      const inputs = note.inputs.map((input) => input.path);
      return { modulePath: sourcePath, sourcePath: note.sourcePath, inputs };
    }
  }
  return { modulePath: sourcePath, sourcePath, inputs: [sourcePath] };
}

/** Synchronous: a starting worker has nothing else to do, and its handler process waits for the answer. */
function findFile(target: string, stem: string): string {
  const stats = fs.statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) throw new HandlerFileError(`There is no file or directory ${target}.`);
  if (!stats.isDirectory()) return fs.realpathSync(target);
  for (const ending of HANDLER_ENDINGS) {
    const file = path.join(target, stem + ending);
    if (fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true) {
      return fs.realpathSync(file);
    }
  }
  throw new HandlerFileError(`${target} holds no ${stem}: add a ${stem}.ts to it.`);
}
