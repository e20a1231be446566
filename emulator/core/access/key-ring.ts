/** The API keys the service accepts, and the check whether a given text is one of them. */
import { hash } from "node:crypto";
import type { Clock } from "../time/clock.ts";
import type { ApiKey } from "./api-key.ts";

/** SHA-256, hexadecimal: all that is kept of a key's text. */
export function digestOf(text: string): string {
  return hash("sha256", text, "hex");
}

export class KeyRing {
  readonly #clock: Pick<Clock, "now">;
  /** How long a look takes tells nothing of a key: who does not have it cannot choose its digest. */
  readonly #byDigest = new Map<string, ApiKey>();
  readonly #byId = new Map<string, ApiKey>();
  readonly #usedAt = new Map<string, number>();

  /** @param keys of two with one text the later counts @param clock service time */
  constructor(keys: readonly ApiKey[], clock: Pick<Clock, "now">) {
    this.#clock = clock;
    this.become(keys);
  }

  /** From now on these are accepted, and no others; of two with one text the later. */
  become(keys: readonly ApiKey[]): void {
    const ids = new Set(keys.map(({ id }) => id));
    for (const id of [...this.#byId.keys()]) if (!ids.has(id)) this.remove(id);
    this.#byDigest.clear();
    for (const key of keys) this.put(key);
  }

  put(key: ApiKey): void {
    this.#byDigest.set(key.digest, key);
    this.#byId.set(key.id, key);
  }

  remove(id: string): void {
    const key = this.#byId.get(id);
    if (key === undefined) return;
    this.#byId.delete(id);
    this.#usedAt.delete(id);
    if (this.#byDigest.get(key.digest) === key) this.#byDigest.delete(key.digest);
  }

  /** The record of the key whose text is `text`, which is used now; undefined for one that has expired. */
  find(text: string): ApiKey | undefined {
    return this.#use(this.#byDigest.get(digestOf(text)));
  }

  findById(id: string): ApiKey | undefined {
    return this.#use(this.#byId.get(id));
  }

  /** The record of the key whose text is `text`, if it has expired. */
  findExpired(text: string): ApiKey | undefined {
    const key = this.#byDigest.get(digestOf(text));
    return key !== undefined && this.#isExpired(key) ? key : undefined;
  }

  /** When the key was used last since the start (service time). */
  usedAt(id: string): number | undefined {
    return this.#usedAt.get(id);
  }

  #use(key: ApiKey | undefined): ApiKey | undefined {
    if (key === undefined || this.#isExpired(key)) return undefined;
    this.#usedAt.set(key.id, this.#clock.now());
    return key;
  }

  #isExpired({ expiresAt }: ApiKey): boolean {
    return expiresAt !== undefined && Date.parse(expiresAt) <= this.#clock.now();
  }
}
