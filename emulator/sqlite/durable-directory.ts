/** Creates directories durably. In a power failure a synced file may lose its name if its directory was not synced. */
import fs from "node:fs";
import path from "node:path";
import { codeOf } from "./sqlite-error.ts";

/**
 * Makes the directory and its missing parents, for this user only. Makes one after another, because with `recursive` Node tries
 * for ever where no directory can be made, as below /proc.
 */
export function makeDirectoryDurably(directory: string): void {
  const parent = path.dirname(directory);
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST" && fs.statSync(directory).isDirectory()) return;
    if (code !== "ENOENT" || fs.existsSync(parent)) throw error;
    makeDirectoryDurably(parent);
    fs.mkdirSync(directory, { mode: 0o700 });
  }
  syncDirectory(parent);
}

/** Makes the names in the directory durable. */
export function syncDirectory(directory: string): void {
  const handle = fs.openSync(directory, "r");
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** Syncs one directory repeatedly: all requests during a sync share the next one. */
export class DirectorySync {
  readonly #directory: string;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Resolves when all names that were in the directory at the call are durable. */
  sync(): Promise<void> {
    this.#next ??= this.#startAfter(this.#running);
    return this.#next;
  }

  async #startAfter(previous: Promise<void>): Promise<void> {
    await previous.catch(() => undefined);
    this.#running = this.#next ?? Promise.resolve();
    this.#next = undefined;
    const handle = await fs.promises.open(this.#directory, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
