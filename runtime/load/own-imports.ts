/** Resolves the packages of a bundle from the place of each source: linked ones are bundled, installed ones are left to Node. */
import fs from "node:fs";
import { findPackageJSON, isBuiltin } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Metafile, OnResolveArgs, Plugin, PluginBuild } from "esbuild";
import { FROM } from "../core/import-from.ts";
import { pathsOf, Projects } from "./tsconfig.ts";

/** Name of this package, which the worker provides. */
const OWN_NAME = "sv-runtime";

interface NamedBuild {
  readonly entryPoints: readonly [string];
  readonly absWorkingDir: string;
}

/**
 * Whether imports mean something else than Node finds from the handler: a linked package, the `imports` of a package.json, a
 * package of another directory, or an alias of a project that a tsconfig.json refers to. Other bundles are built faster without
 * the plugin.
 *
 * @param metafile of a build that left all packages to Node
 */
export async function needsOwnImports(
  { inputs }: Metafile,
  { entryPoints: [entry], absWorkingDir }: NamedBuild,
): Promise<boolean> {
  const projects = new Projects();
  const scopes = new Scopes(entry);
  for (const [input, { imports }] of Object.entries(inputs)) {
    const specifiers = imports.flatMap(({ external, path: specifier }) =>
      external === true && !isProvided(specifier) ? [specifier] : [],
    );
    if (specifiers.length === 0) continue;
    const importer = path.resolve(absWorkingDir, input);
    if (!scopes.isBeside(importer)) return true;
    if ((await projects.referenced(importer)) !== undefined) return true;
    const isOwn = (specifier: string) => specifier.startsWith("#") || isLinked(specifier, importer);
    if (specifiers.some(isOwn)) return true;
  }
  return false;
}

/** @param leavesPackages whether installed packages are left to Node here. Otherwise other plugins decide about packages */
export function ownImports(entry: string, leavesPackages: boolean): Plugin {
  const projects = new Projects();
  const scopes = new Scopes(entry);
  return {
    name: "own-imports",
    setup(build) {
      build.onStart(() => {
        projects.clear();
        scopes.clear();
      });
      build.onResolve({ filter: /^[^./]/ }, async (args) => {
        const { path: specifier, importer, kind } = args;
        if (args.pluginData === ASKED || kind === "entry-point" || isBuiltin(specifier))
          return undefined;
        const project = await projects.referenced(importer);
        const files = project === undefined ? [] : await pathsOf(specifier, project);
        for (const file of files) {
          const found = await askBundler(build, { ...args, path: file }, ASKED);
          if (found !== undefined) return found;
        }
        if (!leavesPackages) return undefined;
        const found = isProvided(specifier) ? undefined : await askBundler(build, args, ASKED);
        if (found?.external === false && !isInstalled(found.path)) return found;
        const from = scopes.isBeside(importer) ? "" : FROM + pathToFileURL(importer).href;
        return { path: specifier + from, external: true };
      });
    },
  };
}

/** Marks the requests of this plugin to esbuild. */
const ASKED = Symbol("asked by own-imports");

/**
 * Resolves an import as the bundler does. Undefined if it leads nowhere.
 *
 * @param pluginData marks the request for the plugin that makes it
 */
export async function askBundler(
  build: PluginBuild,
  { path: specifier, kind, importer, resolveDir, with: attributes }: OnResolveArgs,
  pluginData: symbol,
) {
  const options = { kind, importer, resolveDir, with: attributes, pluginData };
  const found = await build.resolve(specifier, options);
  const { path: file, external, namespace, sideEffects, suffix } = found;
  return found.errors.length > 0
    ? undefined
    : { path: file, external, namespace, sideEffects, suffix };
}

function isProvided(specifier: string): boolean {
  return isBuiltin(specifier) || specifier.split("/", 1)[0] === OWN_NAME;
}

/** True for an import of a package with files outside of any `node_modules`. */
export function isLinked(specifier: string, importer: string): boolean {
  if (isProvided(specifier)) return false;
  try {
    const manifest = findPackageJSON(specifier, pathToFileURL(importer));
    return manifest !== undefined && !isInstalled(fs.realpathSync(manifest));
  } catch {
    // The package is missing. Running the code will report that.
    return false;
  }
}

/** False for pnpm's copy of a `file:` dependency: no registry has it. */
export function isInstalled(file: string): boolean {
  const parts = file.split(path.sep);
  return parts.includes("node_modules") && !parts.some((part) => part.includes("@file+"));
}

/** Compares the places from which Node looks for packages. */
class Scopes {
  readonly #entry: string;
  /** By directory: the nearest one with a package.json or node_modules. */
  readonly #known = new Map<string, string>();

  constructor(entry: string) {
    this.#entry = entry;
  }

  clear(): void {
    this.#known.clear();
  }

  /** Whether Node finds the same packages from there as from the handler. */
  isBeside(importer: string): boolean {
    return this.#scopeOf(path.dirname(importer)) === this.#scopeOf(path.dirname(this.#entry));
  }

  #scopeOf(directory: string): string {
    const known = this.#known.get(directory);
    if (known !== undefined) return known;
    const isScope = SCOPES.some((name) => fs.existsSync(path.join(directory, name)));
    const parent = path.dirname(directory);
    const scope = isScope || parent === directory ? directory : this.#scopeOf(parent);
    this.#known.set(directory, scope);
    return scope;
  }
}

const SCOPES = ["package.json", "node_modules"];
