/** The API keys the service accepts, and the check whether a given text is one of them. */
import { hash } from "node:crypto";
import { ServiceError } from "../service-error.ts";
import type { Clock } from "../time/clock.ts";
import type { ApiKey } from "./api-key.ts";

/** SHA-256, hexadecimal: the only form in which texts of keys and tokens of workers are stored. */
export function digestOf(text: string): string {
  return hash("sha256", text, "hex");
}

export class KeyRing {
  readonly #clock: Pick<Clock, "now">;
  /** The lookup need not take constant time: an attacker who does not know the text cannot choose its digest. */
  readonly #byDigest = new Map<string, ApiKey>();
  /**
   * Keys that were found since the last change, by text, because a digest costs more than the rest of the check. The lookup
   * compares characters only between texts with the same seeded hash.
   */
  readonly #byText = new Map<string, ApiKey>();
  readonly #byId = new Map<string, ApiKey>();
  readonly #usedAt = new Map<string, number>();
  readonly #listeners = new Set<() => void>();

  /**
   * @param keys of two keys with one text the later one counts
   * @param clock service time
   */
  constructor(keys: readonly ApiKey[], clock: Pick<Clock, "now">) {
    this.#clock = clock;
    this.become(keys);
  }

  /** Replaces all accepted keys; of two keys with one text the later one counts. */
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

  /** The record of the key with this text, which counts as used now; undefined for an unknown or expired key. */
  find(text: string): ApiKey | undefined {
    return this.#use(this.#withText(text));
  }

  /** Finds a key like `find`, but refuses an expired one. @throws ServiceError key_expired */
  findGood(text: string): ApiKey | undefined {
    const key = this.#withText(text);
    if (key?.expiresAt === undefined || !this.#isExpired(key)) return this.#use(key);
    const { name, expiresAt } = key;
    throw new ServiceError("key_expired", `the API key "${name}" has expired at ${expiresAt}`);
  }

  findById(id: string): ApiKey | undefined {
    return this.#use(this.#byId.get(id));
  }

  /** Whether the key is still accepted and has not expired. */
  isGood(id: string): boolean {
    const key = this.#byId.get(id);
    return key !== undefined && !this.#isExpired(key);
  }

  /** Service time at which the next key expires; undefined if none will. */
  nextExpiryAt(): number | undefined {
    const now = this.#clock.now();
    const moments = [...this.#byId.values()]
      .map(({ expiresAt }) => (expiresAt === undefined ? now : Date.parse(expiresAt)))
      .filter((at) => at > now);
    return moments.length === 0 ? undefined : Math.min(...moments);
  }

  /** Calls `listener` whenever a key is put or removed, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Time of the key's last use since the start (service time). */
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

  #withText(text: string): ApiKey | undefined {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const key = this.#byDigest.get(digestOf(text));
    if (key !== undefined) this.#byText.set(text, key);
    return key;
  }

  #changed(): void {
    this.#byText.clear();
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
