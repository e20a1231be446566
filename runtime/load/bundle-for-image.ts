/** Bundles a TypeScript handler ahead of its start, for an image in which its sources lie in another directory. */
import path from "node:path";
import { MADE_BY, notePath, type BundleNote } from "./bundle-note.ts";
import { runBundler } from "./run-bundler.ts";

/** Where in the image things will be; absolute paths with forward slashes. */
export interface ImagePlaces {
  /** The directory with the handler, as it is here. */
  readonly directory: string;
  /** The same directory in the image. */
  readonly imageDirectory: string;
  /** Where the bundle is put in the image. */
  readonly bundlePath: string;
}

export interface ImageFile {
  /** Absolute, in the image. */
  readonly path: string;
  readonly content: Uint8Array;
}

/**
 * The files to be added to the image. The worker given `bundlePath` as its handler resolves packages as if it lay where its
 * source lies, and errors name lines of the source. What a file outside of `directory` contributes is in the bundle.
 *
 * @throws HandlerFileError with file, line and column of every error
 */
export async function bundleForImage(
  sourcePath: string,
  { directory, imageDirectory, bundlePath }: ImagePlaces,
): Promise<readonly ImageFile[]> {
  const placeOf = (file: string): string =>
    path.posix.join(imageDirectory, path.relative(directory, file).replaceAll(path.sep, "/"));
  // The bundle lies to the source here as it will in the image, so the way from one to the other is the same.
  const fromDirectory = path.posix.relative(imageDirectory, path.posix.dirname(bundlePath));
  const folder = path.resolve(directory, fromDirectory);
  const { code } = await runBundler(sourcePath, folder, placeOf);
  const note: BundleNote = { sourcePath: placeOf(sourcePath), madeBy: MADE_BY, inputs: [] };
  return [
    { path: bundlePath, content: code },
    { path: notePath(bundlePath), content: Buffer.from(JSON.stringify(note)) },
  ];
}
