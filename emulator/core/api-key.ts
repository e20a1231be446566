/** A key the service accepts, kept as a digest only. */

export interface ApiKey {
  readonly id: string;
  /** What the key opens: management and jobs, or the emulator's own operations as well. */
  readonly scope: "user" | "admin";
  /** SHA-256 of the key, hexadecimal. */
  readonly digest: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}
