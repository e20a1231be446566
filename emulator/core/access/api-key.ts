/** A key the service accepts, kept as a digest only. */

/** What a key opens: management and jobs (`user`), or the emulator's own operations as well (`admin`). */
export type KeyScope = "user" | "admin";

export interface ApiKey {
  readonly id: string;
  readonly scope: KeyScope;
  /** SHA-256 of the key, hexadecimal. */
  readonly digest: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}
