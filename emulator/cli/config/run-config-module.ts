/** Runs a config written in TypeScript or JavaScript and returns what it exports. */
import { registerHooks } from "node:module";
import { dirname, basename } from "node:path";
import { pathToFileURL } from "node:url";
import { HandlerFileError } from "../../../runtime/load/handler-file-error.ts";
import { runBundler } from "../../../runtime/load/run-bundler.ts";
import { failedUse, UsageError } from "../usage-error.ts";

/** What a config imports from this package, so that it need not be installed where the config lies. */
const CONFIG_MODULE = "sv-runtime/config";
const DEFINE_CONFIG = "data:text/javascript,export const defineConfig = (config) => config;";

let runs = 0;

/**
 * The default export; of a function what it returns, of a promise what it resolves with. Each call runs the file anew.
 *
 * @param shown the file as messages name it
 * @throws UsageError with the place of what cannot be built, or of what the config threw
 */
export async function runConfigModule(file: string, shown: string): Promise<unknown> {
  const code = await bundle(file, shown);
  // Under the address of its source, so that packages are found from there; never the same one twice, for Node runs it once.
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

/** The place is that of the first frame within the config. */
function thrown(error: unknown, file: string, shown: string): UsageError {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const [, rest = ""] = stack.split(basename(file), 2);
  const [, place = ""] = /^(?:\?config=\d+)?(:\d+:\d+)/u.exec(rest) ?? [];
  return failedUse(`${shown}${place}: the config cannot be run`, error);
}
