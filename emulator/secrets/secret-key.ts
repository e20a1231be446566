/** Port: the key that stored secrets are encrypted with. Adapters: one in memory, and a file of the data directory. */

export interface SecretKey {
  /**
   * The key of 32 bytes; undefined before it is made.
   *
   * @throws StoreUnusableError if the key cannot be read
   */
  find(): Uint8Array | undefined;
  /**
   * The key. Makes a durable one if there is none.
   *
   * @throws StoreUnusableError when it can be neither read nor made; StoreFullError when there is no room for it
   */
  findOrMake(): Uint8Array;
}

/** A given key, or one that ends with the service. */
export function fixedSecretKey(key: Uint8Array): SecretKey {
  return { find: () => key, findOrMake: () => key };
}
