/** Turns a handler's result or yield into JSON text, or says why it has none. */
import { Buffer } from "node:buffer";
import { jsonForm, UnfitValueError } from "./json-form.ts";
import { BINARY_UNFIT } from "./unfit.ts";

/** The result of the handler cannot be sent. The message is for the handler's author. */
export class InvalidOutputError extends Error {
  override readonly name = "InvalidOutputError";
  readonly code = "invalid_output";
}

/**
 * The JSON text of a value; undefined for `undefined`. Members that are `undefined` are left out, as by JSON.stringify. Nothing else
 * of the value is lost: what has no JSON form is refused.
 *
 * @param what name of the value in messages, for example `The output`
 * @throws InvalidOutputError
 */
export function toJson(value: unknown, what: string): string | undefined {
  if (value === undefined) return undefined;
  if (Buffer.isBuffer(value)) throw new InvalidOutputError(`${what} is ${BINARY_UNFIT}.`);
  let json: unknown;
  try {
    json = JSON.stringify(isPlainData(value) ? value : jsonForm(value));
  } catch (error) {
    throw new InvalidOutputError(`${sentenceOf(error, what)}.`, { cause: error });
  }
  // Despite its type, stringify returns undefined if a toJSON method returns undefined.
  if (typeof json === "string") return json;
  throw new InvalidOutputError(`${what} has a toJSON method that returns nothing.`);
}

/** Whether JSON.stringify writes the value as it is: the value is plain data throughout. Fast, because nearly all values are. */
function isPlainData(value: unknown): boolean {
  try {
    return isPlain(value);
  } catch {
    // A getter throws, or the value is too deep or refers to itself.
    return false;
  }
}

function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return isPlainPrimitive(value);
  return Array.isArray(value) ? isPlainArray(value) : isPlainObject(value);
}

/** Small, so that the loops below contain it: most members are primitives. */
function isPlainPrimitive(value: unknown): boolean {
  if (typeof value === "string" || typeof value === "boolean") return true;
  return typeof value === "number" ? Number.isFinite(value) : (value ?? null) === null;
}

function isPlainArray(array: readonly unknown[]): boolean {
  // A counting loop takes a third of the time of the array's iterator.
  for (let at = 0; at < array.length; at++) {
    const item = array[at];
    if (!isPlainPrimitive(item) && !isPlain(item)) return false;
  }
  return true;
}

function isPlainObject(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const members = object as Readonly<Record<string, unknown>>;
  // `for in` is faster than Object.values, and these prototypes have no enumerable members.
  for (const name in members) {
    const member = members[name];
    if (!isPlainPrimitive(member) && !isPlain(member)) return false;
  }
  return true;
}

function sentenceOf(error: unknown, what: string): string {
  if (error instanceof UnfitValueError) {
    const { message, path } = error;
    return path === "" ? `${what} is ${message}` : `${what} has at ${path} ${message}`;
  }
  const message = error instanceof Error ? error.message : String(error);
  const isTooLong = message.includes("string length");
  return isTooLong ? `${what} is longer than any string can be` : `${what} is nested too deeply`;
}

/**
 * The JSON text of a job's output.
 *
 * @throws InvalidOutputError also if it is larger than `maxBytes`
 */
export function outputJson(value: unknown, maxBytes: number): string | undefined {
  const json = toJson(value, "The output");
  if (json !== undefined && exceeds(json, maxBytes)) {
    throw tooLarge(Buffer.byteLength(json), maxBytes);
  }
  return json;
}

/** Whether the text is larger than `maxBytes` in UTF-8. */
export function exceeds(json: string, maxBytes: number): boolean {
  // Small texts need no exact count, because a UTF-16 unit takes at most three bytes.
  return (
    json.length * 3 > maxBytes && (json.length > maxBytes || Buffer.byteLength(json) > maxBytes)
  );
}

/** The error of a too large output, with size, limit and advice. */
function tooLarge(bytes: number, maxBytes: number): InvalidOutputError {
  return new InvalidOutputError(
    `The output is ${bytes} bytes of JSON, and at most ${maxBytes} are accepted: ` +
      "upload it and return a link, or yield it in parts.",
  );
}

/** Collects a generator's yields into the job's output. It reuses the JSON text of the stream. */
export class Collected {
  readonly #maxBytes: number;
  readonly #parts: string[] = [];
  /** Size of the array, at first of both brackets. */
  #bytes = 2;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws InvalidOutputError if the array would become larger than the maximum */
  add(json: string): void {
    const comma = this.#parts.length === 0 ? 0 : 1;
    this.#bytes += Buffer.byteLength(json) + comma;
    if (this.#bytes > this.#maxBytes) throw tooLarge(this.#bytes, this.#maxBytes);
    this.#parts.push(json);
  }

  json(): string {
    return `[${this.#parts.join(",")}]`;
  }
}
