/** The worker of a load balancing endpoint: runs the user's own HTTP server, and ends with the service that started it. */
import { pathToFileURL } from "node:url";
import { resolveAs } from "../handler/resolve-as.ts";
import { startWatchdog } from "../handler/start-watchdog.ts";
import { syntaxPlaces } from "../handler/syntax-place.ts";
import { HandlerFileError } from "../load/handler-file-error.ts";
import { prepareHandler } from "../load/prepare-handler.ts";
import { WORKER_ENV } from "../protocol/worker-env.ts";

void serve(process.env[WORKER_ENV.handler] ?? "");

async function serve(file: string): Promise<void> {
  // The service may be killed while the server is still being loaded, or blocks its loop.
  startWatchdog();
  const { modulePath, sourcePath } = await prepared(file);
  resolveAs(modulePath, sourcePath);
  // As in any program: a module can tell that it is the one that was started.
  process.argv.splice(1, process.argv.length, sourcePath);
  try {
    await import(pathToFileURL(modulePath).href);
  } catch (thrown) {
    const isPlain = thrown instanceof SyntaxError && modulePath === sourcePath;
    const places = isPlain ? await syntaxPlaces(thrown, sourcePath) : undefined;
    if (places === undefined) throw thrown;
    leave(`the server cannot be loaded:\n${places}`);
  }
}

async function prepared(file: string): ReturnType<typeof prepareHandler> {
  try {
    return await prepareHandler(file);
  } catch (error) {
    if (!(error instanceof HandlerFileError)) throw error;
    return leave(`the server cannot be loaded: ${error.message}`);
  }
}

function leave(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
