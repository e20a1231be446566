/** Runs the bundler on a handler: one module that holds the user's own code and imports its packages. */
import path from "node:path";
import type * as Esbuild from "esbuild";
import type { BuildOptions, Message } from "esbuild";
import { HandlerFileError } from "./handler-file-error.ts";
import { keepSourceLocation } from "./source-location.ts";

let users = 0;

/** The bundler, for as long as the caller holds it. */
export interface HeldBundler {
  readonly esbuild: typeof Esbuild;
  /** Call once. */
  readonly release: () => void;
}

/** Loads the bundler: where nothing has changed, nobody should wait for it. */
export async function holdBundler(): Promise<HeldBundler> {
  users++;
  const esbuild = await import("esbuild");
  return {
    esbuild,
    release: () => {
      users--;
      // It is a process of its own and would stay as long as this one.
      if (users === 0) void esbuild.stop();
    },
  };
}

/** How a handler is made one module, into memory. */
export function handlerBuild(sourcePath: string, folder: string, placeOf?: PlaceOf) {
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
    packages: "external",
    sourcemap: "inline",
    sourcesContent: false,
    logLevel: "silent",
    plugins: [keepSourceLocation(placeOf ?? ((file) => file))],
  } as const satisfies BuildOptions;
}

/** Where a source file will lie when the bundle runs. */
type PlaceOf = (file: string) => string;

/** A bundle with its source map in it, and the files it was made of. */
export interface Bundled {
  readonly code: Uint8Array;
  readonly inputPaths: readonly string[];
}

/**
 * @param folder where the bundle will lie; its source map leads from there to the sources
 * @param placeOf default: where it lies now
 * @throws HandlerFileError with file, line and column of every error
 */
export async function runBundler(
  sourcePath: string,
  folder: string,
  placeOf?: PlaceOf,
): Promise<Bundled> {
  const { esbuild, release } = await holdBundler();
  const result = await esbuild
    .build(handlerBuild(sourcePath, folder, placeOf))
    .catch((error: unknown) => {
      throw explain(error, sourcePath);
    })
    .finally(release);
  const [output] = result.outputFiles;
  if (output === undefined) throw new HandlerFileError(`${sourcePath} was built into nothing.`);
  const inputPaths = Object.keys(result.metafile.inputs).map((input) =>
    path.resolve(path.dirname(sourcePath), input),
  );
  return { code: output.contents, inputPaths };
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
