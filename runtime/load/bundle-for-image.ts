/** Bundles a handler ahead of its start, for an image in which its sources lie in another directory. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";
import { MADE_BY, notePath, type BundleNote } from "./bundle-note.ts";
import { runBundler } from "./run-bundler.ts";

/** Options for the bundle of a handler with sources in another place of the image. */
export interface ImagePlaces {
  /** Where a file will be in the image; an absolute path with forward slashes. */
  readonly placeOf: (file: string) => string;
  /** Where the bundle is put in the image. */
  readonly bundlePath: string;
  /** Says what of the packages is in the bundle. */
  readonly imports: Plugin;
}

export interface ImageFile {
  /** Absolute, in the image. */
  readonly path: string;
  readonly content: Uint8Array;
}

export interface ImageBundle {
  /** To be added to the image. */
  readonly files: readonly ImageFile[];
  /** What it was made of; absolute. */
  readonly inputPaths: readonly string[];
  /** What it imports when it runs. */
  readonly imports: readonly string[];
}

/**
 * The worker given `bundlePath` as its handler resolves packages as if it lay where its source lies, and errors name lines of
 * the source.
 *
 * @throws HandlerFileError with file, line and column of every error
 */
export async function bundleForImage(
  sourcePath: string,
  { placeOf, bundlePath, imports: plugin }: ImagePlaces,
): Promise<ImageBundle> {
  const place = placeOf(sourcePath);
  // The bundle lies to the source here as it will in the image, so the way from one to the other is the same.
  const way = path.posix.relative(path.posix.dirname(place), path.posix.dirname(bundlePath));
  const folder = path.resolve(path.dirname(sourcePath), way);
  const { code, inputPaths, imports } = await runBundler(sourcePath, folder, {
    placeOf,
    imports: plugin,
    banner: requireFrom(place),
  });
  const note: BundleNote = { sourcePath: place, madeBy: MADE_BY, inputs: [] };
  return {
    files: [
      { path: bundlePath, content: code },
      { path: notePath(bundlePath), content: Buffer.from(JSON.stringify(note)) },
    ],
    inputPaths,
    imports,
  };
}

/** CommonJS modules in the bundle, which is none, still have a `require`: the one of the source. */
function requireFrom(place: string): string {
  const source = JSON.stringify(pathToFileURL(place).href);
  return `import{createRequire as __svCreateRequire}from"node:module";const require=__svCreateRequire(${source});`;
}
