/** The tokens of the workers that the service started; only their digests are kept. */
import { digestOf } from "../../core/access/key-ring.ts";
import type { WorkerHandle } from "./worker-handle.ts";

/** What is known of a token that no worker here has: another process has started its worker, or a former run has. */
export type FormerToken =
  | { readonly endpointId: string }
  /** A sentence on why nobody knows yet. */
  | { readonly problem: string };

export class WorkerTokens {
  readonly #workers = new Map<string, WorkerHandle>();
  #findFormer: (digest: string) => FormerToken | undefined = () => undefined;

  /** The token of that digest is valid until it is removed. */
  add(digest: string, worker: WorkerHandle): void {
    this.#workers.set(digest, worker);
  }

  remove(digest: string): void {
    this.#workers.delete(digest);
  }

  /** The worker that a token belongs to. */
  find(token: string): WorkerHandle | undefined {
    return this.#workers.get(digestOf(token));
  }

  /** Has `find` be asked, by the digest, for tokens that no worker here has. */
  knowFormer(find: (digest: string) => FormerToken | undefined): void {
    this.#findFormer = find;
  }

  /** Undefined for a token that is nobody's. What it finds of an endpoint that is decided for here, `find` finds from now on. */
  findFormer(token: string): FormerToken | undefined {
    return this.#findFormer(digestOf(token));
  }
}
