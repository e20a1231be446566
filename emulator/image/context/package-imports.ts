/** An esbuild plugin: linked packages are bundled like the program's own code; installed packages stay imports. */
import { isBuiltin } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { aliasHint } from "../../../runtime/load/import-hint.ts";
import { askBundler, isInstalled } from "../../../runtime/load/own-imports.ts";
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";

/** This package, which is in the base image. */
export const OWN_PACKAGE = "sv-runtime";

/** An import that is not bundled, but resolved when the program runs. */
export interface PackageImport {
  readonly specifier: string;
  /** Undefined for a native addon or a WebAssembly file, which are imported by path. */
  readonly packageName: string | undefined;
  /** Absolute path of the file with the import. */
  readonly importer: string;
  /** Absolute path of the imported file, without links. Undefined for a missing package, and for this project's own. */
  readonly file: string | undefined;
  /** Whether the program's own module resolves the specifier to the same file. */
  readonly isSameForProgram: boolean;
  /** A likely reason why an import leads to no file. */
  readonly hint?: string | undefined;
}

export interface PackageImports {
  readonly plugin: Plugin;
  /** Imports that were not bundled, by their specifiers in the bundle. */
  readonly unbundled: ReadonlyMap<string, PackageImport>;
}

/**
 * @param program the module to bundle
 * @param placeOf path of a file when the bundle runs
 */
export function packageImports(program: string, placeOf: (file: string) => string): PackageImports {
  const unbundled = new Map<string, PackageImport>();
  const keepImport = (bundleSpecifier: string, imported: PackageImport): OnResolveResult => {
    unbundled.set(bundleSpecifier, imported);
    return { path: bundleSpecifier, external: true };
  };
  const resolveDir = path.dirname(program);
  const setup = (build: PluginBuild): void => {
    build.onResolve({ filter: /^[^./]/ }, async (args) => {
      const { path: specifier, importer } = args;
      if (args.pluginData === ASKED_BY_US || args.kind === "entry-point") return undefined;
      if (isBuiltin(specifier)) return { path: specifier, external: true };
      const packageName = packageOf(specifier);
      const unresolved = { specifier, packageName, importer, ...UNRESOLVED };
      if (packageName === OWN_PACKAGE) return keepImport(specifier, unresolved);
      const found = await askBundler(build, args, ASKED_BY_US);
      if (found === undefined) {
        const hint = await aliasHint(specifier, importer);
        return keepImport(specifier, { ...unresolved, hint });
      }
      const { path: file, external } = found;
      if (external || !isInstalled(file)) return found;
      // `imports` of a package.json are not looked up again.
      const isSameForProgram =
        !specifier.startsWith("#") &&
        file === (await askBundler(build, { ...args, resolveDir }, ASKED_BY_US))?.path;
      return keepImport(isSameForProgram ? specifier : placeOf(file), {
        ...unresolved,
        file,
        isSameForProgram,
      });
    });
    build.onResolve({ filter: BINARY }, (args) => {
      const kept = binaryImport(args, placeOf);
      return kept && keepImport(...kept);
    });
  };
  return { plugin: { name: "package-imports", setup }, unbundled };
}

const UNRESOLVED = { file: undefined, isSameForProgram: true } as const;

const BINARY = /^[./].*\.(?:node|wasm)$/;

/** Undefined for the `import` of an addon, of which the next plugin makes a `require`. */
function binaryImport(
  { path: specifier, importer, kind, resolveDir }: OnResolveArgs,
  placeOf: (file: string) => string,
): readonly [string, PackageImport] | undefined {
  const file = path.resolve(resolveDir, specifier);
  const isImport = !kind.startsWith("require");
  if (isImport && file.endsWith(".node")) return undefined;
  const place = placeOf(file);
  const imported = { specifier, packageName: undefined, importer, file, isSameForProgram: false };
  return [isImport ? pathToFileURL(place).href : place, imported];
}

/** Marks the requests of this plugin to esbuild, which it must not handle itself. */
const ASKED_BY_US = Symbol("asked by package-imports");

/** The package of a specifier: `@scope/name` for `@scope/name/x`. */
function packageOf(specifier: string): string {
  const [first = "", second] = specifier.split("/");
  return first.startsWith("@") && second !== undefined ? `${first}/${second}` : first;
}
