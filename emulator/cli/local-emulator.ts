/** The file by which commands find the emulator that runs in a directory: its address, and a key that is valid until its stop. */
import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { EngineLog } from "../index.ts";
import { DEFAULT_DATA_DIR } from "./serve/setting-values.ts";
import type { Settings } from "./serve/settings.ts";

const FILE = "emulator.json";

const contentSchema = z.object({ url: z.string(), key: z.string(), pid: z.int().positive() });

export type LocalEmulator = z.infer<typeof contentSchema>;

/** Writes the file, which only this user can read. Returns a function that removes it. */
export function tellWhere(
  { dataDir, store }: Pick<Settings, "dataDir" | "store">,
  { url, key }: Omit<LocalEmulator, "pid">,
  log: Pick<EngineLog, "warn">,
): () => void {
  if (dataDir === undefined || store !== undefined) return () => undefined;
  const file = path.join(dataDir, FILE);
  const fresh = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(fresh, `${JSON.stringify({ url, key, pid: process.pid })}\n`, { mode: 0o600 });
    fs.renameSync(fresh, file);
  } catch (error) {
    log.warn({ err: error }, "commands in this directory need --url and SV_API_KEY");
  }
  return () => fs.rmSync(file, { force: true });
}

/** The emulator of the directory, or of the nearest one above it. Undefined if none runs there. */
export function emulatorNear(directory: string): LocalEmulator | undefined {
  const found = readIfThere(path.join(directory, DEFAULT_DATA_DIR, FILE));
  if (found !== undefined) return isRunning(found.pid) ? found : undefined;
  const parent = path.dirname(directory);
  return parent === directory ? undefined : emulatorNear(parent);
}

function readIfThere(file: string): LocalEmulator | undefined {
  try {
    return contentSchema.parse(JSON.parse(fs.readFileSync(file, "utf8")));
  } catch {
    // Missing, of another user, or of another version.
    return undefined;
  }
}

/** A killed emulator leaves its file. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
