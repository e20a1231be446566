/** Runs the bundler on a handler: one module that holds the user's own code and imports its packages. */
import path from "node:path";
import type * as Esbuild from "esbuild";
import type { BuildOptions, Message, Plugin } from "esbuild";
import { HandlerFileError } from "./handler-file-error.ts";
import { keepSourceLocation } from "./source-location.ts";

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
