/** The key of a data directory: a file that only the user may read, made before the first secret is stored. */
import fs from "node:fs";
import type { Random } from "../core/time/clock.ts";
import { readSecretKey, SECRET_KEY_BYTES } from "../core/resources/secrets/sealed-secret.ts";
import { PRIVATE_MODE, writePrivateFile } from "../sqlite/private-file.ts";
import { fromFileSystem } from "../sqlite/sqlite-error.ts";
import { StoreUnusableError } from "../core/store-error.ts";
import type { SecretKey } from "./secret-key.ts";

/** `file` holds the key in base64. It is read once. */
export function fileSecretKey(file: string, random: Random): SecretKey {
  let known: Uint8Array | undefined;
  const find = () => (known ??= readKey(file));
  return {
    find,
    findOrMake: () => find() ?? (known = makeKey(file, random)),
  };
}

function readKey(file: string): Uint8Array | undefined {
  try {
    if (!fs.existsSync(file)) return undefined;
    const key = readSecretKey(fs.readFileSync(file, "utf8").trim());
    if (key === undefined) {
      throw new StoreUnusableError(
        `${file} holds no key of ${SECRET_KEY_BYTES} bytes in base64; restore the right key, or delete the file to get a new one`,
      );
    }
    fs.chmodSync(file, PRIVATE_MODE);
    return key;
  } catch (error) {
    throw fromFileSystem(error, file);
  }
}

function makeKey(file: string, random: Random): Uint8Array {
  const key = random.bytes(SECRET_KEY_BYTES);
  try {
    writePrivateFile(file, `${Buffer.from(key).toString("base64")}\n`);
  } catch (error) {
    throw fromFileSystem(error, file);
  }
  return key;
}
