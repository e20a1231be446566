/** Settles which key secrets are stored with: the one that was given, that of the data directory, or none that lasts. */
import path from "node:path";
import type { Random } from "../core/time/clock.ts";
import { readSecretKey, SECRET_KEY_BYTES } from "../core/resources/sealed-secret.ts";
import { fileSecretKey } from "./file-secret-key.ts";
import { fixedSecretKey, type SecretKey } from "./secret-key.ts";

/** In the data directory. */
const FILE = "secret.key";

export interface SecretKeyChoice {
  /** 32 bytes in base64. */
  readonly secretKey?: string;
  readonly dataDir?: string;
}

/** @throws RangeError when the given key is none */
export function chooseSecretKey(
  { secretKey, dataDir }: SecretKeyChoice,
  random: Random,
): SecretKey {
  if (secretKey !== undefined) {
    const key = readSecretKey(secretKey);
    if (key === undefined) throw new RangeError("secretKey must be 32 bytes in base64");
    return fixedSecretKey(key);
  }
  if (dataDir !== undefined) return fileSecretKey(path.join(dataDir, FILE), random);
  return fixedSecretKey(random.bytes(SECRET_KEY_BYTES));
}
