/** Creates directories durably: without a sync of its parent, a synced file may lose its name in a power failure. */
import fs from "node:fs";
import path from "node:path";
import { codeOf } from "./sqlite-error.ts";

/**
 * Makes the directory and its parents, for this user only, and leaves existing ones as they are. Makes one after another: where
 * none can be made, as below /proc, Node with `recursive` would try for ever.
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
