/** Runs a config written in TypeScript or JavaScript and returns what it exports. */
import { registerHooks } from "node:module";
import { dirname, basename } from "node:path";
import { pathToFileURL } from "node:url";
import { HandlerFileError } from "../../../runtime/load/handler-file-error.ts";
import { runBundler } from "../../../runtime/load/run-bundler.ts";
import { failedUse, UsageError } from "../usage-error.ts";

/** The module that a config imports from this package. It is provided here, so that no installation is needed. */
const CONFIG_MODULE = "sv-runtime/config";
const DEFINE_CONFIG = "data:text/javascript,export const defineConfig = (config) => config;";

let runs = 0;

/**
 * The default export: a value, or the result of a function or a promise. Each call runs the file again.
 *
 * @param shown the file as messages name it
 * @throws UsageError with the place of a build error, or of an error that the config threw
 */
export async function runConfigModule(file: string, shown: string): Promise<unknown> {
  const code = await bundle(file, shown);
  // The URL of the source makes Node find packages from there. A new query makes Node run it again.
  const url = pathToFileURL(file);
  url.searchParams.set("config", String((runs += 1)));
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === CONFIG_MODULE
        ? { url: DEFINE_CONFIG, shortCircuit: true }
        : next(specifier, context),
    load: (address, context, next) =>
      address === url.href
        ? { format: "module", source: code, shortCircuit: true }
        : next(address, context),
  });
  const hadSourceMaps = process.sourceMapsEnabled;
  process.setSourceMapsEnabled(true);
  try {
    const exported: unknown = await import(url.href);
    const written: unknown = await defaultOf(exported, shown);
    return await (typeof written === "function" ? (written as () => unknown)() : written);
  } catch (error) {
    throw error instanceof UsageError ? error : thrown(error, file, shown);
  } finally {
    process.setSourceMapsEnabled(hadSourceMaps);
    hooks.deregister();
  }
}

async function bundle(file: string, shown: string): Promise<string> {
  try {
    const { code } = await runBundler(file, dirname(file));
    return Buffer.from(code).toString();
  } catch (error) {
    if (!(error instanceof HandlerFileError)) throw error;
    const [, ...lines] = error.message.split("\n");
    const sentences = lines.map((line) => line.replace(file, shown));
    throw new UsageError(sentences.join("\n") || error.message, { cause: error });
  }
}

async function defaultOf(exported: unknown, shown: string): Promise<unknown> {
  if (typeof exported === "object" && exported !== null && "default" in exported)
    return exported.default;
  throw new UsageError(
    `${shown}: the config must be the default export: export default defineConfig({ … })`,
  );
}

/** The error with the place of the first frame within the config. */
function thrown(error: unknown, file: string, shown: string): UsageError {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const [, rest = ""] = stack.split(basename(file), 2);
  const [, place = ""] = /^(?:\?config=\d+)?(:\d+:\d+)/u.exec(rest) ?? [];
  return failedUse(`${shown}${place}: the config cannot be run`, error);
}
