/** Splits a yielded value into parts of bounded size, each of them JSON by itself; join.ts puts them together again. */
import { Buffer } from "node:buffer";
import { LIMITS } from "../protocol/limits.ts";
import { NotJsonError } from "./split-error.ts";
import { splitJsonText, type JsonPart } from "./split-text.ts";

export type { JsonPart };

/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * The JSON text of `value`, as `JSON.stringify` writes it, in as few parts as its shape allows. Arrays are cut between
 * elements, objects between entries, and strings that fill more than a part between code points. Takes linear time.
 *
 * @param maxBytes largest UTF-8 size of one part, in bytes; default 1,000,000 (spec)
 * @throws NotJsonError when `value` has no JSON form
 * @throws NotSplittableError when the keys or the nesting leave no room for the content
 */
export function splitJson(
  value: unknown,
  maxBytes: number = LIMITS.chunkMaxBytes,
): readonly JsonPart[] {
  const json = stringify(value);
  if (fits(json, maxBytes)) return [{ json, continues: 0 }];
  return splitJsonText(Buffer.from(json), maxBytes);
}

function fits(json: string, maxBytes: number): boolean {
  if (json.length * MAX_BYTES_PER_UNIT <= maxBytes) return true;
  return json.length <= maxBytes && Buffer.byteLength(json) <= maxBytes;
}

function stringify(value: unknown): string {
  let json: unknown;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NotJsonError(`The value cannot be written as JSON: ${reason}`, { cause });
  }
  // The compiler believes that stringify always returns a string; for undefined, functions and symbols it does not.
  if (typeof json === "string") return json;
  throw new NotJsonError(`The value cannot be written as JSON: it is ${describe(value)}.`);
}

function describe(value: unknown): string {
  if (value === undefined) return "undefined";
  return typeof value === "object"
    ? "an object whose toJSON returns undefined"
    : `a ${typeof value}`;
}
