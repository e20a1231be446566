/** The API keys the service accepts, and the check whether a given text is one of them. */
import { hash, timingSafeEqual } from "node:crypto";
import { Buffer } from "node:buffer";
import type { ApiKey } from "./api-key.ts";

export class KeyRing {
  #keys: readonly { readonly key: ApiKey; readonly digest: Buffer }[] = [];

  constructor(keys: readonly ApiKey[]) {
    this.become(keys);
  }

  /** From now on these are accepted, and no others. */
  become(keys: readonly ApiKey[]): void {
    this.#keys = keys.map((key) => ({ key, digest: Buffer.from(key.digest, "hex") }));
  }

  /**
   * The record of the key whose text is `text`. Takes the same time whichever key it is, if any: digests are compared
   * whole, and all of them.
   */
  find(text: string): ApiKey | undefined {
    const digest = hash("sha256", text, "buffer");
    let found: ApiKey | undefined;
    for (const entry of this.#keys) {
      if (entry.digest.length === digest.length && timingSafeEqual(entry.digest, digest)) {
        found = entry.key;
      }
    }
    return found;
  }
}
