/** The temporary directories of jobs: where they are, and their removal. */
import os from "node:os";
import path from "node:path";
import { clearLeftovers, removeAll } from "../leftovers/clear-leftovers.ts";
import { ownedName } from "../leftovers/owner.ts";

const KIND = "sv-jobs";

/** The supervisor removes them, so that they go whatever becomes of the handler process. */
export class JobDirectories {
  #root: string | undefined;
  readonly #made = new Set<number>();
  readonly #removals = new Set<Promise<void>>();
  #clearing: Promise<void> | undefined;

  /** Removes what supervisors that were killed have left. Idempotent. */
  clearLeftovers(): void {
    this.#clearing ??= clearLeftovers(os.tmpdir(), KIND);
  }

  /** Made by the first invocation that makes its own in it. */
  get root(): string {
    // Imported above, it would hold up the start of the handler process.
    const { randomUUID } = process.getBuiltinModule("node:crypto");
    this.#root ??= path.join(os.tmpdir(), `${ownedName(KIND)}-${randomUUID()}`);
    return this.#root;
  }

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
    await Promise.all([this.#clearing, ...this.#removals]);
    if (this.#root !== undefined) await removeAll(this.#root);
  }
}
