/** Runs the bundler on a handler: one module that holds the user's own code and imports its packages. */
import path from "node:path";
import type * as Esbuild from "esbuild";
import type { BuildOptions, BuildResult, Message, Plugin } from "esbuild";
import { TEXT_ENDINGS } from "../core/text-endings.ts";
import { binaries } from "./binaries.ts";
import { REACHED } from "./import-hint.ts";
import { needDescriptors } from "../system/descriptors.ts";
import { HandlerFileError } from "./handler-file-error.ts";
import { needsOwnImports, ownImports } from "./own-imports.ts";
import { bundleBanner, ownSources } from "./own-sources.ts";
import {
  type BundledProgram,
  bundlePrograms,
  type ProgramFile,
  programsBanner,
} from "./bundle-programs.ts";
import type { Programs } from "./programs.ts";

let users = 0;

/** The bundler, for as long as the caller holds it. */
export interface HeldBundler {
  readonly esbuild: typeof Esbuild;
  /** Call once. */
  readonly release: () => void;
}

/** Loads the bundler late: an unchanged handler does not need it. */
export async function holdBundler(): Promise<HeldBundler> {
  needDescriptors();
  const esbuild = await import("esbuild").catch((error: unknown) => {
    throw isMissing(error) ? new HandlerFileError(NO_BUNDLER, { cause: error }) : error;
  });
  users++;
  return {
    esbuild,
    release: () => {
      users--;
      // The bundler is a separate process, which would run as long as this one.
      if (users === 0) void esbuild.stop();
    },
  };
}

const NO_BUNDLER =
  "There is no bundler here for TypeScript: an image of sv-emulate build has the bundle of its handler only. Build an image of this file, or write a Dockerfile that begins with FROM sv-base.";

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && String(error.code).endsWith("MODULE_NOT_FOUND")
  );
}

/** The differences for an image, in which files have other paths. */
export interface Elsewhere {
  /** The path of a source file at the time when the bundle runs. */
  readonly placeOf: (file: string) => string;
  /** Decides which packages are bundled. Default: no package is bundled. */
  readonly imports: Plugin;
}

export interface BuildTerms {
  /** Receives the programs that the sources start. Default: they are not bundled. */
  readonly programs?: Programs | undefined;
  /** The handler, if the bundle is that of a program which it starts. */
  readonly programOf?: string | undefined;
  /** Whether packages are resolved as `needsOwnImports` says. Default: all are left to Node. */
  readonly ownsImports?: boolean;
  /** Default: the bundle runs on this machine. */
  readonly elsewhere?: Elsewhere | undefined;
}

/** Options of the bundler: the handler becomes one module, in memory. */
export function handlerBuild(
  sourcePath: string,
  folder: string,
  { programs, programOf, ownsImports = false, elsewhere }: BuildTerms = {},
) {
  const placeOf = elsewhere?.placeOf ?? samePlace;
  return {
    entryPoints: [sourcePath],
    // Messages and metafile have paths from here.
    absWorkingDir: path.dirname(programOf ?? sourcePath),
    outdir: folder,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node24",
    supported: { "import-source": true },
    packages: elsewhere === undefined && !ownsImports ? "external" : "bundle",
    // Without `module`, which Node does not know.
    conditions: [],
    loader: TEXT_LOADERS,
    banner: { js: bundleBanner(placeOf(sourcePath)) + programsBanner(programOf !== undefined) },
    sourcemap: "inline",
    sourcesContent: false,
    logLevel: "silent",
    plugins: [
      ...(elsewhere === undefined ? [] : [elsewhere.imports]),
      ...(elsewhere === undefined && !ownsImports
        ? []
        : [ownImports(sourcePath, elsewhere === undefined)]),
      binaries(placeOf),
      ownSources(sourcePath, { placeOf, programs }),
    ],
  } as const satisfies BuildOptions;
}

/** The options of one build. */
export type HandlerBuild = ReturnType<typeof handlerBuild>;

const samePlace = (file: string): string => file;

const TEXT_LOADERS = Object.fromEntries(
  Array.from(TEXT_ENDINGS, (ending) => [ending, "text"] as const),
);

/** A bundle with its source map, its source files, and its imports at run time. */
export interface Bundled {
  readonly code: Uint8Array;
  readonly inputPaths: readonly string[];
  readonly imports: readonly string[];
}

/** A bundle with its programs. */
export interface BundledWhole extends Bundled {
  readonly programs: readonly ProgramFile[];
}

/**
 * @param folder the directory of the bundle; the paths in its source map are relative to it
 * @param terms `programs` is filled
 * @throws HandlerFileError with file, line and column of every error
 */
export async function runBundler(
  sourcePath: string,
  folder: string,
  terms: BuildTerms = {},
): Promise<BundledWhole> {
  const { esbuild, release } = await holdBundler();
  const build = async (
    file: string,
    outdir: string,
    further: BuildTerms,
  ): Promise<BundledProgram> => {
    const made = handlerBuild(file, outdir, { ...terms, ...further });
    const result = await esbuild.build(made).catch((error: unknown) => {
      throw explain(error, sourcePath);
    });
    const isFinal = made.packages === "bundle" || !(await needsOwnImports(result.metafile, made));
    return isFinal ? bundled(result, made) : build(file, outdir, { ...further, ownsImports: true });
  };
  try {
    const main = await build(sourcePath, folder, {});
    const { programs = new Map(), elsewhere } = terms;
    const within = path.join(folder, "programs");
    const started = await bundlePrograms(programs, elsewhere?.placeOf ?? samePlace, (file) =>
      build(file, within, { programOf: sourcePath }),
    );
    return {
      code: main.code,
      inputPaths: [...new Set([...main.inputPaths, ...started.inputPaths])],
      imports: [...new Set([...main.imports, ...started.imports])],
      programs: started.files,
    };
  } finally {
    release();
  }
}

/** @throws HandlerFileError if the build has no output */
export function bundled(
  { outputFiles = [], metafile }: BuildResult,
  { entryPoints: [sourcePath], absWorkingDir }: HandlerBuild,
): BundledProgram {
  const [output] = outputFiles;
  const [made] = Object.values(metafile?.outputs ?? {});
  if (output === undefined || made === undefined) {
    throw new HandlerFileError(`${sourcePath} has no output when built.`);
  }
  const inputPaths = Object.keys(metafile?.inputs ?? {}).map((input) =>
    // The key of a file that is imported as text ends in ` with { … }`; that of an addon begins with `addon:`.
    path.resolve(absWorkingDir, input.replaceAll(/^addon:| with \{.*\}$/gu, "")),
  );
  const imports = made.imports.map((imported) => imported.path);
  return { code: output.contents, inputPaths, imports, exports: made.exports };
}

function explain(error: unknown, sourcePath: string): unknown {
  if (!(error instanceof Error) || !("errors" in error) || !Array.isArray(error.errors)) {
    return error;
  }
  const messages = (error.errors as Message[]).map((message) => {
    const { location } = message;
    const text = sentenceOf(message);
    if (location === null) return text;
    const file = path.resolve(path.dirname(sourcePath), location.file);
    return `${file}:${location.line}:${location.column + 1}: ${text}`;
  });
  return new HandlerFileError(
    `${path.basename(sourcePath)} cannot be built:\n${messages.join("\n")}`,
  );
}

/** The message, with what to do about a file that cannot be imported as it is. */
export function sentenceOf({ text }: Message): string {
  const [, file] = /^No loader is configured for .* files?: (.+)$/u.exec(text) ?? [];
  if (file !== undefined) return `${file} is not code: ${REACHED}`;
  return text.startsWith("JSON does not support") ? `${text}: ${REACHED}` : text;
}
