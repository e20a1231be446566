/** Chooses the directory for bundles of handlers. */
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { HandlerFileError } from "./handler-file-error.ts";

/**
 * Creates the first of these directories that can be written: the given one, the user's cache directory, or one in the system's
 * directory for temporary files. The name of the last contains the user's id, so that two users do not share it.
 *
 * @throws HandlerFileError if no directory can be written
 */
export async function openCacheDir(asked: string | undefined): Promise<string> {
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
