/** A key the service accepts, kept as a digest only. */
/** The scopes that a key can be made with. */
export const MADE_SCOPES = ["all", "read-only", "jobs", "management", "workers"] as const;

export type MadeScope = (typeof MADE_SCOPES)[number];

/** `user`: of the key given at the start, where the emulator's own operations have one of their own. */
export type KeyScope = MadeScope | "user";

export interface ApiKey {
  readonly id: string;
  /** No other key has it. */
  readonly name: string;
  readonly scope: KeyScope;
  /** Those whose jobs it opens, with the scope `jobs`; the one whose workers have it, with the scope `workers`. */
  readonly endpointIds?: readonly string[];
  /** SHA-256 of the key, hexadecimal. */
  readonly digest: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** When it is good no more (service time, ISO 8601, UTC); absent: never. */
  readonly expiresAt?: string;
}
