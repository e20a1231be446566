/** Bundles a handler ahead of its start, for an image in which its sources lie in another directory. */
import path from "node:path";
import type { Plugin } from "esbuild";
import { programsFolder } from "./bundle-programs.ts";
import { MADE_BY, notePath, type BundleNote } from "./bundle-note.ts";
import { runBundler } from "./run-bundler.ts";

/** Options for the bundle of a handler with sources in another place of the image. */
export interface ImagePlaces {
  /** The path of a file in the image: absolute, with forward slashes. */
  readonly placeOf: (file: string) => string;
  /** The path of the bundle in the image. */
  readonly bundlePath: string;
  /** Decides which packages are in the bundle. */
  readonly imports: Plugin;
}

export interface ImageFile {
  /** Absolute, in the image. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

export interface ImageBundle {
  /** Files to add to the image. */
  readonly files: readonly ImageFile[];
  /** Absolute paths of the bundled sources. */
  readonly inputPaths: readonly string[];
  /** Packages that the bundle imports at run time. */
  readonly imports: readonly string[];
}

/**
 * A worker with `bundlePath` as its handler resolves packages from the place of the source, and errors name lines of the source.
 *
 * @throws HandlerFileError with file, line and column of every error
 */
export async function bundleForImage(
  sourcePath: string,
  { placeOf, bundlePath, imports: plugin }: ImagePlaces,
): Promise<ImageBundle> {
  const place = placeOf(sourcePath);
  // The path from the bundle to the source is the same here as in the image.
  const way = path.posix.relative(path.posix.dirname(place), path.posix.dirname(bundlePath));
  const folder = path.resolve(path.dirname(sourcePath), way);
  const { code, inputPaths, imports, programs } = await runBundler(sourcePath, folder, {
    programs: new Map(),
    elsewhere: { placeOf, imports: plugin },
  });
  const note: BundleNote = { sourcePath: place, madeBy: MADE_BY, inputs: [] };
  return {
    files: [
      { path: bundlePath, content: code },
      { path: notePath(bundlePath), content: JSON.stringify(note) },
      ...programs.map(({ name, content }) => ({
        path: `${programsFolder(bundlePath)}/${name}`,
        content,
      })),
    ],
    inputPaths,
    imports,
  };
}
