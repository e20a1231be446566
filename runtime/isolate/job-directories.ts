/** The directories that invocations make for their jobs: where they are, and their removal. */
import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";

/** The supervisor removes them, so that they go whatever becomes of the handler process. */
export class JobDirectories {
  /** Made by the first invocation that makes its own in it. */
  readonly root = path.join(os.tmpdir(), `sv-jobs-${randomUUID()}`);
  readonly #made = new Set<number>();
  readonly #removals = new Set<Promise<void>>();

  made(slot: number): void {
    this.#made.add(slot);
  }

  /** The invocation is over, one way or another. */
  remove(slot: number): void {
    if (!this.#made.delete(slot)) return;
    const removal = removeAll(path.join(this.root, String(slot)));
    this.#removals.add(removal);
    void removal.then(() => this.#removals.delete(removal));
  }

  /** Nothing runs any more: what is left goes. */
  async close(): Promise<void> {
    await Promise.all(this.#removals);
    await removeAll(this.root);
  }
}

/** What cannot be removed stays: no job may suffer from it. */
async function removeAll(directory: string): Promise<void> {
  await fs.rm(directory, { recursive: true, force: true, maxRetries: 2 }).catch(() => {});
}
