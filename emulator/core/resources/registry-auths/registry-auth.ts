/** A container registry auth: credentials for pulling private images (source: spec). */
import type { SealedSecret } from "../secrets/sealed-secret.ts";

/** The stored record. */
export interface RegistryAuth {
  /** 25 characters: `cl` and 23 lower-case letters and digits (live). */
  readonly id: string;
  /** Unique. */
  readonly name: string;
  /** The {@link RegistryCredentials} as JSON, encrypted. */
  readonly sealed: SealedSecret;
}

/** Never to be logged or answered. */
export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
}
