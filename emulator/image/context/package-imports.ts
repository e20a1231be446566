/** An esbuild plugin: packages linked into `node_modules` are bundled like the program's own code, installed ones stay imports. */
import { isBuiltin } from "node:module";
import path from "node:path";
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";

/** This package, which the base image has. */
export const OWN_PACKAGE = "sv-runtime";

/** An import that is not bundled: it is resolved when the program runs. */
export interface PackageImport {
  readonly specifier: string;
  /** Undefined for a native addon or a WebAssembly file, which is imported by its path. */
  readonly packageName: string | undefined;
  /** The file with the import; absolute. */
  readonly importer: string;
  /** The file it resolves to here; absolute, without links. Undefined if the package is not installed here, or is our own. */
  readonly file: string | undefined;
  /** Whether the program's own module resolves it to the same file. */
  readonly isSameForProgram: boolean;
}

export interface PackageImports {
  readonly plugin: Plugin;
  /** What was not bundled, by the specifier that the bundle has for it. */
  readonly unbundled: ReadonlyMap<string, PackageImport>;
}

/**
 * @param program the module that is bundled
 * @param placeOf where a file lies when the bundle runs
 */
export function packageImports(program: string, placeOf: (file: string) => string): PackageImports {
  const unbundled = new Map<string, PackageImport>();
  const keepImport = (bundleSpecifier: string, imported: PackageImport): OnResolveResult => {
    unbundled.set(bundleSpecifier, imported);
    return { path: bundleSpecifier, external: true };
  };
  const setup = (build: PluginBuild): void => {
    build.onResolve({ filter: /^[^./]/ }, async (args) => {
      const { path: specifier, importer } = args;
      if (args.pluginData === ASKED_BY_US || args.kind === "entry-point") return undefined;
      if (isBuiltin(specifier)) return { path: specifier, external: true };
      const packageName = packageOf(specifier);
      const unresolved = {
        specifier,
        packageName,
        importer,
        file: undefined,
        isSameForProgram: true,
      };
      if (packageName === OWN_PACKAGE) return keepImport(specifier, unresolved);
      const found = await resolveByBundler(build, args, args.resolveDir);
      if (found === undefined) return keepImport(specifier, unresolved);
      const { path: file, external } = found;
      if (external || !isInstalled(file)) return found;
      const isSameForProgram =
        file === (await resolveByBundler(build, args, path.dirname(program)))?.path;
      return keepImport(isSameForProgram ? specifier : placeOf(file), {
        ...unresolved,
        file,
        isSameForProgram,
      });
    });
    build.onResolve({ filter: /^[./].*\.(?:node|wasm)$/ }, ({ path: specifier, ...args }) => {
      const file = path.resolve(args.resolveDir, specifier);
      const { importer } = args;
      return keepImport(placeOf(file), {
        specifier,
        packageName: undefined,
        importer,
        file,
        isSameForProgram: false,
      });
    });
  };
  return { plugin: { name: "package-imports", setup }, unbundled };
}

/** Marks what this plugin asks esbuild to resolve, and so must not handle itself. */
const ASKED_BY_US = Symbol("asked by package-imports");

/** What the bundler resolves the specifier to; undefined if it finds nothing. */
async function resolveByBundler(
  build: PluginBuild,
  { path: specifier, kind, importer, with: attributes }: OnResolveArgs,
  resolveDir: string,
): Promise<(OnResolveResult & { readonly path: string }) | undefined> {
  const options = { kind, importer, resolveDir, with: attributes, pluginData: ASKED_BY_US };
  const found = await build.resolve(specifier, options);
  const { path: file, external, namespace, sideEffects, suffix } = found;
  return found.errors.length > 0
    ? undefined
    : { path: file, external, namespace, sideEffects, suffix };
}

/** Not for a copy that pnpm made of a `file:` dependency: no registry has that, so it is bundled. */
function isInstalled(file: string): boolean {
  const parts = file.split(path.sep);
  return parts.includes("node_modules") && !parts.some((part) => part.includes("@file+"));
}

/** The package that a specifier is of: `@scope/name` for `@scope/name/x`. */
function packageOf(specifier: string): string {
  const [first = "", second] = specifier.split("/");
  return first.startsWith("@") && second !== undefined ? `${first}/${second}` : first;
}
