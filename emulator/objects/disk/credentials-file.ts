/** The store's one pair of keys: made at the first start, kept in a file that S3 clients can read. */
import fs from "node:fs";
import type { Random } from "../../core/time/clock.ts";
import { PRIVATE_MODE, writePrivateFile } from "../../sqlite/private-file.ts";
import { fromFileSystem } from "../../sqlite/sqlite-error.ts";
import { StoreUnusableError } from "../../core/store-error.ts";
import type { Credentials } from "../access-keys.ts";

const ID_LENGTH = 18;
const SECRET_LENGTH = 40;

/**
 * Reads the file, or makes it with new keys. It has the form of AWS's own credentials file, so that a client finds the
 * keys in it through `AWS_SHARED_CREDENTIALS_FILE`.
 *
 * @throws StoreUnusableError when there is a file without keys in it, or it can be neither read nor written;
 *   StoreFullError when there is no room for it
 */
export function keptCredentials(file: string, random: Random): Credentials {
  try {
    return fs.existsSync(file) ? known(file) : made(file, random);
  } catch (error) {
    throw fromFileSystem(error, file);
  }
}

function known(file: string): Credentials {
  const text = fs.readFileSync(file, "utf8");
  const accessKeyId = valueIn(text, "aws_access_key_id");
  const secretAccessKey = valueIn(text, "aws_secret_access_key");
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new StoreUnusableError(
      `${file} has no aws_access_key_id and aws_secret_access_key; put them back, or delete it to have new ones made`,
    );
  }
  if ((fs.statSync(file).mode & 0o777) !== PRIVATE_MODE) fs.chmodSync(file, PRIVATE_MODE);
  return { accessKeyId, secretAccessKey };
}

function made(file: string, random: Random): Credentials {
  const accessKeyId = `SV${random.shortId(ID_LENGTH).toUpperCase()}`;
  const secretAccessKey = (random.token() + random.token()).slice(0, SECRET_LENGTH);
  const lines = [
    "# The keys of the object store of sv-emulate.",
    "[default]",
    `aws_access_key_id = ${accessKeyId}`,
    `aws_secret_access_key = ${secretAccessKey}`,
    "",
  ];
  writePrivateFile(file, lines.join("\n"));
  return { accessKeyId, secretAccessKey };
}

function valueIn(text: string, name: string): string | undefined {
  return new RegExp(`^\\s*${name}\\s*=\\s*(\\S+)\\s*$`, "m").exec(text)?.[1];
}
