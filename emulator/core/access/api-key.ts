/** A key that the service accepts. Only its digest is kept. */
export const MADE_SCOPES = ["all", "read-only", "jobs", "management", "workers"] as const;

export type MadeScope = (typeof MADE_SCOPES)[number];

/** `user`: the scope of the start's key if the emulator's own operations have a separate key. */
export type KeyScope = MadeScope | "user";

export interface ApiKey {
  readonly id: string;
  /** Unique. */
  readonly name: string;
  readonly scope: KeyScope;
  /**
   * With the scope `jobs`: the endpoints that the key opens. With the scope `workers`: the endpoint of the workers that have
   * it.
   */
  readonly endpointIds?: readonly string[];
  /** SHA-256 of the key, hexadecimal. */
  readonly digest: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Expiry (service time, ISO 8601, UTC); absent: never. */
  readonly expiresAt?: string;
}
