/** Has Node load a handler's modules as the bundler would: from the place of their source, and text as text. */
import fs from "node:fs";
import { createRequire, type LoadHookContext, registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import path from "node:path";
import { FROM } from "../core/import-from.ts";
import { TEXT_ENDINGS } from "../core/text-endings.ts";

const OWN_NAME = "sv-runtime";

/** URLs of bundles, with those of their sources. */
const sources = new Map<string, string>();

/**
 * A bundle is in a cache directory, outside the project with its `node_modules`: its imports are resolved as if it were at the
 * source's path. A handler without a project has no `node_modules`, but may still import this package: it gets the running one.
 */
export function resolveAs(modulePath: string, sourcePath: string): void {
  if (sources.size === 0) registerHooks({ resolve, load });
  sources.set(pathToFileURL(modulePath).href, pathToFileURL(sourcePath).href);
}

type Hooks = Parameters<typeof registerHooks>[0];

const resolve: NonNullable<Hooks["resolve"]> = (specifier, context, next) => {
  const [wanted = "", from] = specifier.split(FROM);
  const parentURL = from ?? sources.get(context.parentURL ?? "");
  try {
    // Node resolves a `require` from the module that calls it, whatever the context says.
    if (from !== undefined && context.conditions.includes("require"))
      return next(createRequire(from).resolve(wanted), context);
    return next(wanted, parentURL === undefined ? context : { ...context, parentURL });
  } catch (error) {
    const own = wanted === OWN_NAME ? ownEntry() : undefined;
    if (own === undefined || !isNotFound(error)) throw error;
    return { url: own, shortCircuit: true };
  }
};

/** JavaScript, which is not bundled, may import what TypeScript may: texts, bytes, and addons. */
const load: NonNullable<Hooks["load"]> = (url, context, next) => {
  const value = url.startsWith("file:") ? valueOf(url, context) : undefined;
  if (value === undefined) return next(url, context);
  return context.conditions.includes("require")
    ? { format: "commonjs", source: `module.exports=${value}`, shortCircuit: true }
    : { format: "module", source: `export default ${value}`, shortCircuit: true };
};

/** An expression for the only value of the file. Undefined: Node loads it. */
function valueOf(
  url: string,
  { importAttributes, conditions }: LoadHookContext,
): string | undefined {
  const type = importAttributes?.["type"];
  const ending = path.extname(url);
  if (type === "text" || (type === undefined && TEXT_ENDINGS.has(ending)))
    return JSON.stringify(fs.readFileSync(fileURLToPath(url), "utf8"));
  if (type === "bytes")
    return `new Uint8Array(Buffer.from("${fs.readFileSync(fileURLToPath(url), "base64")}","base64"))`;
  return ending === ".node" && !conditions.includes("require")
    ? `process.getBuiltinModule("module").createRequire(${JSON.stringify(url)})(${JSON.stringify(fileURLToPath(url))})`
    : undefined;
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
