/** Runs the bundler on a handler: one module that holds the user's own code and imports its packages. */
import path from "node:path";
import type * as Esbuild from "esbuild";
import fs from "node:fs/promises";
import type { BuildOptions, Loader, Message, Plugin } from "esbuild";
import { HandlerFileError } from "./handler-file-error.ts";
import { pathToFileURL } from "node:url";

let users = 0;

/** The bundler, for as long as the caller holds it. */
export interface HeldBundler {
  readonly esbuild: typeof Esbuild;
  /** Call once. */
  readonly release: () => void;
}

/** Loads the bundler late: an unchanged handler does not need it. */
export async function holdBundler(): Promise<HeldBundler> {
  users++;
  const esbuild = await import("esbuild");
  return {
    esbuild,
    release: () => {
      users--;
      // The bundler is a separate process, which would run as long as this one.
      if (users === 0) void esbuild.stop();
    },
  };
}

/** The differences for an image, in which files have other paths. */
export interface Elsewhere {
  /** The path of a source file at the time when the bundle runs. */
  readonly placeOf: (file: string) => string;
  /** Decides which packages are bundled. Default: no package is bundled. */
  readonly imports: Plugin;
  /** The beginning of every bundle. */
  readonly banner: string;
}

/** Options of the bundler: the handler becomes one module, in memory. */
export function handlerBuild(sourcePath: string, folder: string, elsewhere?: Elsewhere) {
  return {
    entryPoints: [sourcePath],
    absWorkingDir: path.dirname(sourcePath),
    outdir: folder,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node24",
    packages: elsewhere === undefined ? "external" : "bundle",
    ...(elsewhere !== undefined && { banner: { js: elsewhere.banner } }),
    sourcemap: "inline",
    sourcesContent: false,
    logLevel: "silent",
    plugins: [
      ...(elsewhere === undefined ? [] : [elsewhere.imports]),
      keepSourceLocation(elsewhere?.placeOf ?? ((file) => file)),
    ],
  } as const satisfies BuildOptions;
}

/** A bundle with its source map, its source files, and its imports at run time. */
export interface Bundled {
  readonly code: Uint8Array;
  readonly inputPaths: readonly string[];
  readonly imports: readonly string[];
}

/**
 * @param folder the directory of the bundle; the paths in its source map are relative to it
 * @param elsewhere default: the bundle runs on this machine
 * @throws HandlerFileError with file, line and column of every error
 */
export async function runBundler(
  sourcePath: string,
  folder: string,
  elsewhere?: Elsewhere,
): Promise<Bundled> {
  const { esbuild, release } = await holdBundler();
  const result = await esbuild
    .build(handlerBuild(sourcePath, folder, elsewhere))
    .catch((error: unknown) => {
      throw explain(error, sourcePath);
    })
    .finally(release);
  const [output] = result.outputFiles;
  if (output === undefined) throw new HandlerFileError(`${sourcePath} has no output when built.`);
  const inputPaths = Object.keys(result.metafile.inputs).map((input) =>
    path.resolve(path.dirname(sourcePath), input),
  );
  const [made] = Object.values(result.metafile.outputs);
  const imports = made?.imports.map((imported) => imported.path) ?? [];
  return { code: output.contents, inputPaths, imports };
}

function explain(error: unknown, sourcePath: string): unknown {
  if (!(error instanceof Error) || !("errors" in error) || !Array.isArray(error.errors)) {
    return error;
  }
  const messages = (error.errors as Message[]).map(({ text, location }) => {
    if (location === null) return text;
    const file = path.resolve(path.dirname(sourcePath), location.file);
    return `${file}:${location.line}:${location.column + 1}: ${text}`;
  });
  return new HandlerFileError(
    `${path.basename(sourcePath)} cannot be built:\n${messages.join("\n")}`,
  );
}

const LOADERS: Readonly<Record<string, Loader>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
};

const ASKS = /import\.meta|__dirname|__filename/u;

const names = {
  "import.meta.url": "__svSourceUrl",
  "import.meta.dirname": "__svSourceDirname",
  "import.meta.filename": "__svSourceFilename",
  __dirname: "__svSourceDirname",
  __filename: "__svSourceFilename",
} as const;

/**
 * `import.meta.url`, `import.meta.dirname` and `import.meta.filename` keep the values of each source file. For example,
 * `new URL("./corpus.txt", import.meta.url)` works in a bundle that lies elsewhere.
 *
 * @param placeOf returns the path of a source file at the time when the bundle runs
 */
function keepSourceLocation(placeOf: (file: string) => string): Plugin {
  return {
    name: "keep-source-location",
    setup(build) {
      build.initialOptions.define = { ...build.initialOptions.define, ...names };
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, async ({ path: file }) => {
        const loader = LOADERS[path.extname(file)];
        if (loader === undefined) return undefined;
        const source = await fs.readFile(file, "utf8");
        if (!ASKS.test(source)) return { contents: source, loader };
        return { contents: located(source, placeOf(file)), loader };
      });
    },
  };
}

/** The definitions share the first line with the code, so that every line keeps its number. */
function located(source: string, file: string): string {
  const definitions =
    `const __svSourceUrl=${JSON.stringify(pathToFileURL(file).href)},` +
    `__svSourceDirname=${JSON.stringify(path.dirname(file))},` +
    `__svSourceFilename=${JSON.stringify(file)};`;
  return source.startsWith("#!") ? `${definitions}//${source}` : definitions + source;
}
