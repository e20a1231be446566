/** Downloads as a job makes them, into a temporary directory. */
import fs from "node:fs";
import { onTestFinished } from "vitest";
import type { DownloadedFile, DownloadOptions } from "../../../../../runtime/storage/contract.ts";
import { download } from "../../../../../runtime/storage/download/download.ts";
import { temporaryDirectory } from "../../../../setup/temporary-directory.ts";

const noStore = (): Promise<never> => Promise.reject(new Error("no key was asked for"));

/** Downloads like a job; `left` lists the remaining files in its directory. */
export function job(): {
  readonly get: (
    from: string | URL,
    options?: DownloadOptions,
    signal?: AbortSignal,
  ) => Promise<DownloadedFile>;
  readonly left: () => string[];
} {
  const directory = temporaryDirectory();
  onTestFinished(() => directory[Symbol.dispose]());
  return {
    get: (from, options = {}, signal = new AbortController().signal) =>
      download(from, options, { store: noStore, tempDir: () => directory.path, signal }),
    left: () => fs.readdirSync(directory.path),
  };
}
