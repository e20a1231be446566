/** The file by which commands find the emulator that runs in a directory: its address, and a key that is valid until its stop. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { EngineLog } from "../index.ts";
import { DEFAULT_DATA_DIR } from "./serve/setting-values.ts";
import type { Settings } from "./serve/settings.ts";

const FILE = "emulator.json";

const contentSchema = z.object({ url: z.string(), key: z.string(), pid: z.int().positive() });

export type LocalEmulator = z.infer<typeof contentSchema>;

/** The file of an emulator. Disposing of it removes the file. */
export class EmulatorFile implements Disposable {
  /** A random key for `localKey` of the emulator. */
  readonly key = randomBytes(32).toString("base64url");
  /** Undefined for an emulator without a data directory of its own. */
  readonly #path: string | undefined;
  readonly #log: Pick<EngineLog, "warn">;

  constructor(
    { dataDir, store }: Pick<Settings, "dataDir" | "store">,
    log: Pick<EngineLog, "warn">,
  ) {
    if (dataDir !== undefined && store === undefined) this.#path = path.join(dataDir, FILE);
    this.#log = log;
  }

  /** Writes the file, which only this user can read. A failure is logged. */
  write(url: string): void {
    if (this.#path === undefined) return;
    const content: LocalEmulator = { url, key: this.key, pid: process.pid };
    const fresh = `${this.#path}.${process.pid}`;
    try {
      fs.writeFileSync(fresh, `${JSON.stringify(content)}\n`, { mode: 0o600 });
      fs.renameSync(fresh, this.#path);
    } catch (error) {
      this.#log.warn({ err: error }, "commands in this directory need --url and SV_API_KEY");
    }
  }

  [Symbol.dispose](): void {
    if (this.#path !== undefined) fs.rmSync(this.#path, { force: true });
  }
}

/** The emulator of the directory, or of the nearest one above it. Undefined if none runs there. */
export function emulatorNear(directory: string): LocalEmulator | undefined {
  const found = readIfThere(path.join(directory, DEFAULT_DATA_DIR, FILE));
  if (found !== undefined) return isRunning(found.pid) ? found : undefined;
  const parent = path.dirname(directory);
  return parent === directory ? undefined : emulatorNear(parent);
}

/** Only a file of this user counts: another one could lead commands, with the key in SV_API_KEY, to a server of theirs. */
function readIfThere(file: string): LocalEmulator | undefined {
  try {
    if (fs.statSync(file).uid !== process.getuid?.()) return undefined;
    return contentSchema.parse(JSON.parse(fs.readFileSync(file, "utf8")));
  } catch {
    // Missing, or of another version.
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
