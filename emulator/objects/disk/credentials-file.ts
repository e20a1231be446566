/** The store's own pair of keys: made at the first start, and kept in a file that S3 clients can read. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { PRIVATE_MODE, writePrivateFile } from "../../sqlite/private-file.ts";
import { fromFileSystem, StoreUnusableError } from "../../sqlite/sqlite-error.ts";
import type { Credentials } from "../access-keys.ts";

/** Lengths of the id and the secret in bytes: 18 and 40 characters, like those of S3. */
const ID_BYTES = 9;
const SECRET_BYTES = 30;

/**
 * Reads the file, or makes it with new keys. It has the form of AWS's credentials file: clients find the keys through
 * `AWS_SHARED_CREDENTIALS_FILE`.
 *
 * @throws StoreUnusableError if the file has no keys, or can be neither read nor written; StoreFullError if the disk is full
 */
export function readOrMakeCredentials(file: string): Credentials {
  try {
    return fs.existsSync(file) ? known(file) : made(file);
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

function made(file: string): Credentials {
  const accessKeyId = `SV${randomBytes(ID_BYTES).toString("hex").toUpperCase()}`;
  const secretAccessKey = randomBytes(SECRET_BYTES).toString("base64url");
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
