/** Bundles a TypeScript handler into one module in a cache directory, leaving packages to be imported. */
import fs from "node:fs/promises";
import path from "node:path";
import os from "node:os";
import { createHash, randomUUID } from "node:crypto";
import { claimBundle } from "./bundle-claims.ts";
import { programsFolder } from "./bundle-programs.ts";
import { type BundleNote, MADE_BY, type NotedInput, notePath, readNote } from "./bundle-note.ts";
import { configFilesOf } from "./config-files.ts";
import { runBundler } from "./run-bundler.ts";
import { latestPath, trimCache } from "./trim-cache.ts";
import { HandlerFileError } from "./handler-file-error.ts";

/** A handler that Node can import. */
export interface PreparedHandler {
  /** The file to import: the user's own file, or the bundle made of it. */
  readonly modulePath: string;
  /** The user's file. The imports of the handler are resolved from here. */
  readonly sourcePath: string;
  /** All source files of the module, and what configures its build. */
  readonly inputs: readonly string[];
}

/** Maximum lag of file times behind the clock. */
const CLOCK_STEP_MS = 20;

/**
 * A bundle is used again while its inputs have not changed.
 *
 * @throws HandlerFileError with file, line and column of every build error
 */
export async function bundleHandler(
  sourcePath: string,
  cacheDir: string | undefined,
): Promise<PreparedHandler> {
  const folder = await openCacheDir(cacheDir);
  const place = createHash("sha256").update(sourcePath).digest("hex").slice(0, 16);
  const name = `${path.parse(sourcePath).name}-${place}`;
  const cached = await findCached(path.join(folder, `${name}.latest`), folder, sourcePath);
  if (cached !== undefined) return cached;

  const startedAt = Date.now();
  const { code, inputPaths, programs } = await runBundler(sourcePath, folder, {
    programs: new Map(),
  });
  const files = [...inputPaths, ...(await configFilesOf(new Set(inputPaths)))];
  const inputs = (await Promise.all(files.map(noteInput))).filter((input) => input !== undefined);
  const hash = createHash("sha256").update(code);
  for (const { content } of programs) hash.update(content);
  const version = hash.digest("hex").slice(0, 16);
  const bundleName = `${name}-${version}.mjs`;
  const modulePath = path.join(folder, bundleName);
  claimBundle(modulePath);
  const note: BundleNote = { sourcePath, madeBy: MADE_BY, inputs };
  if (programs.length > 0) await fs.mkdir(programsFolder(modulePath), { recursive: true });
  for (const { name: file, content } of programs)
    await writeWhole(path.join(programsFolder(modulePath), file), content);
  await writeWhole(modulePath, code);
  await writeWhole(notePath(modulePath), JSON.stringify(note));
  // A file that changed while it was read may be noted in its new state and bundled in its old one.
  const isSure = inputs.every((input) => input.mtimeMs < startedAt - CLOCK_STEP_MS);
  if (isSure) await writeWhole(latestPath(folder, bundleName), bundleName);
  await trimCache(folder);
  return { modulePath, sourcePath, inputs: inputs.map((input) => input.path) };
}

async function findCached(
  latestFile: string,
  folder: string,
  sourcePath: string,
): Promise<PreparedHandler | undefined> {
  const latest = await readIfThere(latestFile);
  if (latest === undefined) return undefined;
  const modulePath = path.join(folder, path.basename(latest));
  const note = readNote(modulePath);
  if (note?.sourcePath !== sourcePath || note.madeBy !== MADE_BY) return undefined;
  const now = await Promise.all(note.inputs.map((input) => noteInput(input.path)));
  const same = now.every((input, at) => JSON.stringify(input) === JSON.stringify(note.inputs[at]));
  if (!same) return undefined;
  claimBundle(modulePath);
  // The bundle may have been removed while it was being claimed.
  const isKept = (await readIfThere(latestFile)) === latest && (await exists(modulePath));
  if (!isKept) return undefined;
  await markUsed(modulePath);
  return { modulePath, sourcePath, inputs: note.inputs.map((input) => input.path) };
}

async function noteInput(file: string): Promise<NotedInput | undefined> {
  const stats = await fs.stat(file).catch(() => undefined);
  if (stats === undefined) return undefined;
  return { path: file, mtimeMs: stats.mtimeMs, sizeBytes: stats.size };
}

/** Another process may be reading or writing the same file. */
async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const partial = `${file}.${randomUUID()}.partial`;
  await fs.writeFile(partial, content);
  await fs.rename(partial, file);
}

/** Marks a bundle as used: bundles that were used last are kept longest. */
async function markUsed(modulePath: string): Promise<void> {
  const now = new Date();
  await fs.utimes(notePath(modulePath), now, now).catch(() => {});
}

async function readIfThere(file: string): Promise<string | undefined> {
  return fs.readFile(file, "utf8").catch(() => undefined);
}

async function exists(file: string): Promise<boolean> {
  return (await fs.stat(file).catch(() => undefined)) !== undefined;
}

/**
 * Creates the first of these directories that can be written: the given one, the user's cache directory, or one in the system's
 * directory for temporary files. The name of the last contains the user's id, so that two users do not share it.
 *
 * @throws HandlerFileError if no directory can be written
 */
async function openCacheDir(asked: string | undefined): Promise<string> {
  const candidates = asked === undefined ? defaults() : [path.resolve(asked)];
  for (const folder of candidates) {
    if (await canWrite(folder)) return fs.realpath(folder);
  }
  throw new HandlerFileError(
    `TypeScript handlers are built into ${candidates.join(" or ")}, which cannot be written.`,
  );
}

function defaults(): string[] {
  const cache = process.env["XDG_CACHE_HOME"] ?? path.join(os.homedir(), ".cache");
  const temporary = path.join(os.tmpdir(), `sv-runtime-${process.getuid?.() ?? "user"}`);
  return [path.join(cache, "sv-runtime", "handlers"), path.join(temporary, "handlers")];
}

async function canWrite(folder: string): Promise<boolean> {
  try {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    await fs.access(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
