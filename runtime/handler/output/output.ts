/** Turns a handler's result or yield into JSON text, or throws an error with a sentence that says why this is impossible. */
import { Buffer } from "node:buffer";

/** The result of the handler cannot be sent. The message is for the handler's author. */
export class InvalidOutputError extends Error {
  override readonly name = "InvalidOutputError";
  readonly code = "invalid_output";
}

/**
 * The JSON text of a value; undefined for `undefined`. As with JSON.stringify, NaN and infinities become null, nested functions
 * and undefined are left out, and a nested Map or Set becomes {}.
 *
 * @param what name of the value in messages, for example `The output`
 * @throws InvalidOutputError
 */
export function toJson(value: unknown, what: string): string | undefined {
  if (value === undefined) return undefined;
  const unfit = describeUnfit(value);
  if (unfit !== undefined) throw new InvalidOutputError(`${what} is ${unfit}.`);
  let json: unknown;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    throw new InvalidOutputError(`${what} cannot be written as JSON: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
  // Despite its type, stringify returns undefined if a toJSON method returns undefined.
  if (typeof json === "string") return json;
  throw new InvalidOutputError(`${what} has a toJSON method that returns nothing.`);
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

function describeUnfit(value: unknown): string | undefined {
  if (typeof value === "function") return "a function, which has no JSON form";
  if (typeof value === "symbol") return "a symbol, which has no JSON form";
  if (typeof value === "bigint") {
    return "a BigInt, which has no JSON form: return it as a string, or as a number if it fits";
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    return "binary data, which has no JSON form: return it as a base64 string, or upload it";
  }
  // JSON.stringify would silently write {}.
  if (value instanceof Map) {
    return "a Map, which has no JSON form: return Object.fromEntries(map) or [...map]";
  }
  if (value instanceof Set) return "a Set, which has no JSON form: return [...set]";
  const isNodeStream = typeof value === "object" && value !== null && "pipe" in value;
  if (value instanceof ReadableStream || (isNodeStream && "readable" in value)) {
    return "a stream, which has no JSON form: yield its parts from a generator instead";
  }
  return undefined;
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes("string length")) return "it is longer than any string can be";
  if (error instanceof RangeError) return "it is nested too deeply";
  if (message.includes("BigInt")) return "it holds a BigInt; make it a string or a number";
  const [first = "", ...steps] = message.split(/\s*\n[\s|>-]*/u);
  if (first.includes("circular")) return `it refers to itself, ${steps.join(", ")}`;
  return [first, ...steps].join(" ").trim();
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
