/** Stores the files of a directory, several at a time. */
import fs from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { checkOptions } from "./check-upload.ts";
import type { UploadDirOptions, UploadedObject } from "../contract.ts";
import { inParallel } from "./in-parallel.ts";
import type { ObjectStore } from "../object-store.ts";
import { upload } from "./upload.ts";

const CONCURRENCY = 4;

interface FoundFile {
  readonly key: string;
  readonly file: string;
  readonly sizeBytes: number;
}

/** @throws StorageError, TypeError, the file system's error, or the signal's reason */
export async function uploadDir(
  prefix: string,
  directory: string | URL,
  options: UploadDirOptions,
  { store, signal }: { readonly store: ObjectStore; readonly signal: AbortSignal },
): Promise<readonly UploadedObject[]> {
  checkOptions(options);
  const { concurrency = CONCURRENCY, onProgress, signal: _, ...shared } = options;
  const root = directory instanceof URL ? fileURLToPath(directory) : path.resolve(directory);
  const found = await filesBelow(root, prefix);
  const totalBytes = found.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
  const halt = new AbortController();
  const terms = { store, signal: AbortSignal.any([signal, halt.signal]) };
  const stored: UploadedObject[] = [];
  let sentBytes = 0;
  const send = async ({ key, file }: FoundFile): Promise<void> => {
    let sentOfFile = 0;
    const progress = (sentNow: number): void => {
      sentBytes += sentNow - sentOfFile;
      sentOfFile = sentNow;
      onProgress?.({ sentBytes, totalBytes });
    };
    const each = {
      ...shared,
      // Each file that is being sent has one part in memory.
      concurrency: 1,
      onProgress: (now: { readonly sentBytes: number }) => progress(now.sentBytes),
    };
    stored.push(await upload(key, { file }, each, terms));
  };
  await inParallel(iterate(found), concurrency, send, () => halt.abort());
  return stored.toSorted((a, b) => compare(a.key, b.key));
}

/** @throws TypeError for an entry that is no file, or a link that leads out of the directory */
async function filesBelow(root: string, prefix: string): Promise<FoundFile[]> {
  const realRoot = await fs.realpath(root);
  const entries = await fs.readdir(root, { recursive: true, withFileTypes: true });
  const found: FoundFile[] = [];
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const stats = await fs.stat(file);
    if (!stats.isFile()) throw new TypeError(`${file} is no file, so it cannot be uploaded.`);
    if (entry.isSymbolicLink()) await checkLink(file, realRoot);
    const relative = path.relative(root, file).split(path.sep).join("/");
    found.push({ key: keyOf(prefix, relative), file, sizeBytes: stats.size });
  }
  return found.toSorted((a, b) => compare(a.key, b.key));
}

/** Refuses links that lead out of the directory, because a client's archive may contain links to any file of this machine. */
async function checkLink(link: string, realRoot: string): Promise<void> {
  const real = await fs.realpath(link);
  if (real.startsWith(realRoot + path.sep)) return;
  throw new TypeError(`${link} is a link that leads out of the directory, so it is not uploaded.`);
}

function keyOf(prefix: string, relative: string): string {
  return prefix === "" || prefix.endsWith("/") ? `${prefix}${relative}` : `${prefix}/${relative}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* items;
}
