/** The tokens of the workers that the service started; only their digests are kept. */
import { createHash } from "node:crypto";
import type { WorkerHandle } from "./worker-handle.ts";

export class WorkerTokens {
  readonly #workers = new Map<string, WorkerHandle>();

  /** The token is valid until it is removed. */
  add(token: string, worker: WorkerHandle): void {
    this.#workers.set(digest(token), worker);
  }

  remove(token: string): void {
    this.#workers.delete(digest(token));
  }

  /** The worker that a token belongs to. */
  find(token: string): WorkerHandle | undefined {
    return this.#workers.get(digest(token));
  }
}

function digest(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
