/** Loads the user's own HTTP server into this process, like any program. */
import { pathToFileURL } from "node:url";
import { resolveAs } from "../handler/module-resolution.ts";
import { syntaxPlaces } from "../handler/module/syntax-place.ts";
import { HandlerFileError } from "../load/handler-file-error.ts";
import { prepareServer } from "../load/prepare-handler.ts";

/**
 * Resolves when the program has been imported. It listens by then, or soon after. If it cannot be loaded, the process ends with
 * `unusableCode`, and a sentence on stderr about the error.
 * @param target the program's file, or a directory with a `server.ts`
 */
export async function runServer(target: string, unusableCode: number): Promise<void> {
  const leave = (sentence: string): never => {
    process.stderr.write(`the server cannot be loaded:${sentence}\n`);
    process.exit(unusableCode);
  };
  const { modulePath, sourcePath } = await prepareServer(target).catch((error: unknown) => {
    if (error instanceof HandlerFileError) return leave(` ${error.message}`);
    throw error;
  });
  resolveAs(modulePath, sourcePath);
  // As in any program, a module can see that it was started directly.
  process.argv.splice(1, process.argv.length, sourcePath);
  try {
    await import(pathToFileURL(modulePath).href);
  } catch (thrown) {
    const isPlain = thrown instanceof SyntaxError && modulePath === sourcePath;
    const places = isPlain ? await syntaxPlaces(thrown, sourcePath) : undefined;
    if (places === undefined) throw thrown;
    leave(`\n${places}`);
  }
}
