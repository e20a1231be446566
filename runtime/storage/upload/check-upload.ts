/** Checks the arguments of an upload, so that a mistake is reported in the handler's own terms. */
import { Buffer } from "node:buffer";
import type { UploadOptions } from "../contract.ts";

const KEY_MAX_BYTES = 1_024;
/** Minimum bytes of each part but the last. */
const PART_MIN_BYTES = 5_242_880;
const PART_MAX_BYTES = 2_000_000_000;
const EXPIRY_MIN_MS = 1_000;
/** Maximum validity of a signature. */
export const EXPIRY_MAX_MS = 7 * 24 * 60 * 60_000;
const CONCURRENCY_MAX = 64;

/** @throws TypeError */
export function checkKey(key: unknown): asserts key is string {
  if (typeof key !== "string" || key === "") {
    throw new TypeError("The key of an object must be a string that is not empty.");
  }
  if (!key.isWellFormed()) {
    throw new TypeError(`The key ${JSON.stringify(key)} is no valid Unicode.`);
  }
  if (key.split("/").some((part) => part === "." || part === "..")) {
    throw new TypeError(
      `The key ${JSON.stringify(key)} has a part "." or "..": no URL can address it.`,
    );
  }
  const bytes = Buffer.byteLength(key);
  if (bytes <= KEY_MAX_BYTES) return;
  throw new TypeError(
    `The key "${key.slice(0, 40)}…" has ${bytes} bytes, and at most ${KEY_MAX_BYTES} are accepted.`,
  );
}

/** @throws TypeError */
export function checkOptions(options: UploadOptions): void {
  const { metadata = {}, partSizeBytes, concurrency, expiresInMs } = options;
  for (const name of ["contentType", "contentDisposition", "cacheControl"] as const)
    if (options[name] !== undefined) checkHeader(name, options[name]);
  for (const [name, value] of Object.entries(metadata)) {
    if (!/^[\w.-]+$/.test(name)) {
      throw new TypeError(
        `The name ${JSON.stringify(name)} in metadata must be letters, digits, ".", "_" or "-".`,
      );
    }
    checkHeader(`metadata.${name}`, value);
  }
  checkNumber("partSizeBytes", partSizeBytes, PART_MIN_BYTES, PART_MAX_BYTES);
  checkNumber("concurrency", concurrency, 1, CONCURRENCY_MAX);
  checkNumber("expiresInMs", expiresInMs, EXPIRY_MIN_MS, EXPIRY_MAX_MS);
}

function checkHeader(name: string, value: unknown): void {
  if (typeof value === "string" && /^[\x20-\x7E]*$/.test(value)) return;
  throw new TypeError(`\`${name}\` must be a string of printable ASCII.`);
}

function checkNumber(name: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least && value <= most)) {
    return;
  }
  throw new TypeError(`\`${name}\` must be a whole number from ${least} to ${most}.`);
}
