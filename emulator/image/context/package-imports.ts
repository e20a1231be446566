/** An esbuild plugin: what is linked into `node_modules` is bundled like a program's own code, what is installed there stays a package. */
import { isBuiltin } from "node:module";
import path from "node:path";
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";

/** The base has it. */
export const OWN_NAME = "sv-runtime";

/** An import that the bundle leaves to whoever runs it. */
export interface PackageImport {
  readonly specifier: string;
  /** Undefined for a file that no bundle can hold. */
  readonly packageName: string | undefined;
  /** The file it is in; absolute. */
  readonly importer: string;
  /** What it means here; absolute, without links. Undefined where the package is not installed here. */
  readonly file: string | undefined;
  /** Whether it would mean the same in the program's own module. */
  readonly isShared: boolean;
}

export interface PackageImports {
  readonly plugin: Plugin;
  /** Of all modules that were met, by what the bundle says in their place. */
  readonly met: ReadonlyMap<string, PackageImport>;
}

/**
 * @param program the module that is bundled
 * @param placeOf where a file lies when the bundle runs
 */
export function packageImports(program: string, placeOf: (file: string) => string): PackageImports {
  const met = new Map<string, PackageImport>();
  const leave = (said: string, imported: PackageImport): OnResolveResult => {
    met.set(said, imported);
    return { path: said, external: true };
  };
  const setup = (build: PluginBuild): void => {
    build.onResolve({ filter: /^[^./]/ }, async (args) => {
      const { path: specifier, importer } = args;
      if (args.pluginData === ASKED || args.kind === "entry-point") return undefined;
      if (isBuiltin(specifier)) return { path: specifier, external: true };
      const packageName = packageOf(specifier);
      const unknown = { specifier, packageName, importer, file: undefined, isShared: true };
      if (packageName === OWN_NAME) return leave(specifier, unknown);
      const found = await resolved(build, args, args.resolveDir);
      if (found === undefined) return leave(specifier, unknown);
      const { path: file, external } = found;
      if (external || !isInstalled(file)) return found;
      const isShared = file === (await resolved(build, args, path.dirname(program)))?.path;
      return leave(isShared ? specifier : placeOf(file), { ...unknown, file, isShared });
    });
    build.onResolve({ filter: /^[./].*\.(?:node|wasm)$/ }, ({ path: specifier, ...args }) => {
      const file = path.resolve(args.resolveDir, specifier);
      const { importer } = args;
      return leave(placeOf(file), {
        specifier,
        packageName: undefined,
        importer,
        file,
        isShared: false,
      });
    });
  };
  return { plugin: { name: "package-imports", setup }, met };
}

const ASKED = Symbol("resolved by the bundler itself");

/** Undefined where the bundler finds nothing. */
async function resolved(
  build: PluginBuild,
  { path: specifier, kind, importer, with: attributes }: OnResolveArgs,
  resolveDir: string,
): Promise<(OnResolveResult & { readonly path: string }) | undefined> {
  const options = { kind, importer, resolveDir, with: attributes, pluginData: ASKED };
  const found = await build.resolve(specifier, options);
  const { path: file, external, namespace, sideEffects, suffix } = found;
  return found.errors.length > 0
    ? undefined
    : { path: file, external, namespace, sideEffects, suffix };
}

/** pnpm copies what `file:` names, and what is copied there no registry has. */
function isInstalled(file: string): boolean {
  const parts = file.split(path.sep);
  return parts.includes("node_modules") && !parts.some((part) => part.includes("@file+"));
}

/** `@scope/name/x` is of `@scope/name`. */
function packageOf(specifier: string): string {
  const [first = "", second] = specifier.split("/");
  return first.startsWith("@") && second !== undefined ? `${first}/${second}` : first;
}
