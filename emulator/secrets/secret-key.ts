/** Port: the key that stored secrets are encrypted with. Adapters: one in memory, and a file of the data directory. */

export interface SecretKey {
  /**
   * The key of 32 bytes, or undefined if none was made yet.
   *
   * @throws StoreUnusableError when there is one that cannot be read
   */
  find(): Uint8Array | undefined;
  /**
   * The key, made now if there is none, and then durable.
   *
   * @throws StoreUnusableError when it can be neither read nor made; StoreFullError when there is no room for it
   */
  findOrMake(): Uint8Array;
}

/** A key that was given, or that lasts no longer than the service. */
export function fixedSecretKey(key: Uint8Array): SecretKey {
  return { find: () => key, findOrMake: () => key };
}
