/** Decides on the key for stored secrets: the given one, that of the data directory, or a temporary one. */
import path from "node:path";
import { StoreUnusableError } from "../core/store-error.ts";
import type { Random } from "../core/time/clock.ts";
import {
  readSecretKey,
  SECRET_KEY_BYTES,
  SECRET_KEY_FILE,
} from "../core/resources/secrets/sealed-secret.ts";
import { fileSecretKey } from "./file-secret-key.ts";
import { fixedSecretKey, type SecretKey } from "./secret-key.ts";

export interface SecretKeyChoice {
  /** 32 bytes in base64. */
  readonly secretKey?: string;
  readonly dataDir?: string;
  /** Address of a store on another machine. */
  readonly store?: string;
}

/**
 * @throws RangeError for an invalid key; StoreUnusableError for a shared store without a key, given or in the data directory
 */
export function chooseSecretKey(
  { secretKey, dataDir, store }: SecretKeyChoice,
  random: Random,
): SecretKey {
  if (secretKey !== undefined) {
    const key = readSecretKey(secretKey);
    if (key === undefined) throw new RangeError("secretKey must be 32 bytes in base64");
    return fixedSecretKey(key);
  }
  const ofDirectory = dataDir && fileSecretKey(path.join(dataDir, SECRET_KEY_FILE), random);
  if (store !== undefined && !(ofDirectory && ofDirectory.find())) throw keyMissing();
  if (ofDirectory) return ofDirectory;
  return fixedSecretKey(random.bytes(SECRET_KEY_BYTES));
}

function keyMissing(): StoreUnusableError {
  return new StoreUnusableError(
    "a shared store needs one key for its secrets, the same at every start: set SV_SECRET_KEY to 32 bytes in base64 (openssl rand -base64 32 makes one) and keep it as safe as the store",
  );
}
