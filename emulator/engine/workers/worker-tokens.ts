/** Tokens of workers that the service started; only their digests are stored. */
import { digestOf } from "../../core/access/key-ring.ts";
import type { WorkerHandle } from "./worker-handle.ts";

/** Result for a token of an unknown worker, which another process or an earlier run may have started. */
export type FormerToken =
  | { readonly endpointId: string }
  /** A sentence about why it is not known yet. */
  | { readonly problem: string };

export class WorkerTokens {
  readonly #workers = new Map<string, WorkerHandle>();
  #findFormer: (digest: string) => FormerToken | undefined = () => undefined;

  /** The token with this digest is valid until it is removed. */
  add(digest: string, worker: WorkerHandle): void {
    this.#workers.set(digest, worker);
  }

  remove(digest: string): void {
    this.#workers.delete(digest);
  }

  find(token: string): WorkerHandle | undefined {
    return this.#workers.get(digestOf(token));
  }

  /** Sets `find`, which looks up digests of tokens of unknown workers. */
  knowFormer(find: (digest: string) => FormerToken | undefined): void {
    this.#findFormer = find;
  }

  /** Undefined for an invalid token. A worker found for an owned endpoint is known here from then on. */
  findFormer(token: string): FormerToken | undefined {
    return this.#findFormer(digestOf(token));
  }
}
