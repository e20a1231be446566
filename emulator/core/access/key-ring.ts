/** The API keys the service accepts, and the check whether a given text is one of them. */
import { hash } from "node:crypto";
import { ServiceError } from "../service-error.ts";
import type { Clock } from "../time/clock.ts";
import type { ApiKey } from "./api-key.ts";

/** SHA-256, hexadecimal: all that is kept of a key's text, and of a worker's token. */
export function digestOf(text: string): string {
  return hash("sha256", text, "hex");
}

export class KeyRing {
  readonly #clock: Pick<Clock, "now">;
  /** How long a look takes tells nothing of a key: who does not have it cannot choose its digest. */
  readonly #byDigest = new Map<string, ApiKey>();
  readonly #byId = new Map<string, ApiKey>();
  readonly #usedAt = new Map<string, number>();
  readonly #listeners = new Set<() => void>();

  /** @param keys of two with one text the later counts @param clock service time */
  constructor(keys: readonly ApiKey[], clock: Pick<Clock, "now">) {
    this.#clock = clock;
    this.become(keys);
  }

  /** From now on these are accepted, and no others; of two with one text the later. */
  become(keys: readonly ApiKey[]): void {
    const ids = new Set(keys.map(({ id }) => id));
    for (const id of [...this.#byId.keys()]) if (!ids.has(id)) this.#drop(id);
    this.#byDigest.clear();
    for (const key of keys) this.#keep(key);
    this.#changed();
  }

  put(key: ApiKey): void {
    this.#keep(key);
    this.#changed();
  }

  remove(id: string): void {
    this.#drop(id);
    this.#changed();
  }

  /** The record of the key whose text is `text`, which is used now; undefined for one that has expired. */
  find(text: string): ApiKey | undefined {
    return this.#use(this.#byDigest.get(digestOf(text)));
  }

  /** The same, with a refusal of one that has expired. @throws ServiceError key_expired */
  findGood(text: string): ApiKey | undefined {
    const key = this.#byDigest.get(digestOf(text));
    if (key === undefined || !this.#isExpired(key)) return this.#use(key);
    const { name, expiresAt } = key;
    throw new ServiceError("key_expired", `the API key "${name}" has expired at ${expiresAt}`);
  }

  findById(id: string): ApiKey | undefined {
    return this.#use(this.#byId.get(id));
  }

  /** Whether the key is one of these and has not expired. */
  isGood(id: string): boolean {
    const key = this.#byId.get(id);
    return key !== undefined && !this.#isExpired(key);
  }

  /** When the next of the good keys expires (service time); undefined if none does. */
  nextExpiryAt(): number | undefined {
    const now = this.#clock.now();
    const moments = [...this.#byId.values()]
      .map(({ expiresAt }) => (expiresAt === undefined ? now : Date.parse(expiresAt)))
      .filter((at) => at > now);
    return moments.length === 0 ? undefined : Math.min(...moments);
  }

  /** Has `listener` called whenever a key is put or removed, until the function that is answered is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** When the key was used last since the start (service time). */
  usedAt(id: string): number | undefined {
    return this.#usedAt.get(id);
  }

  #keep(key: ApiKey): void {
    this.#byDigest.set(key.digest, key);
    this.#byId.set(key.id, key);
  }

  #drop(id: string): void {
    const key = this.#byId.get(id);
    if (key === undefined) return;
    this.#byId.delete(id);
    this.#usedAt.delete(id);
    if (this.#byDigest.get(key.digest) === key) this.#byDigest.delete(key.digest);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
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
