/** Faults of a text that should have been JSON, and their messages. */
import { expectedIn, isInsideCharacter, stateOf } from "./grammar.ts";

/** The first fault of a text; the rest was not checked. */
export interface JsonFault {
  /**
   * - `syntax`: not JSON by RFC 8259.
   * - `utf8`: not well-formed UTF-8.
   * - `depth`: nested deeper than the limit.
   * - `incomplete`: it ends too early.
   */
  readonly kind: "syntax" | "utf8" | "depth" | "incomplete";
  /** A sentence with the subject and the place. */
  readonly message: string;
  /** Offset of the offending byte, counted from 0; the length of the text if it ends too early. */
  readonly atByte: number;
}

/** The fault of a byte that the grammar does not allow. `subject` names the text, as in "the body". */
export function unexpectedByte(
  subject: string,
  state: number,
  byte: number,
  atByte: number,
): JsonFault {
  const place = `unexpected ${byteInWords(byte)} at byte ${atByte}`;
  const inString = state === stateOf("string");
  if (isInsideCharacter(state) || (inString && byte >= 0x80)) {
    return { kind: "utf8", message: `${subject} is not valid UTF-8: ${place}`, atByte };
  }
  let hint = `expected ${expectedIn(state)}`;
  if (inString) hint = "a control character in a string must be escaped";
  if (byte === 0xef && atByte === 0) hint = "send UTF-8 without a byte order mark";
  return { kind: "syntax", message: `${subject} is not valid JSON: ${place}; ${hint}`, atByte };
}

/** The fault of a text that ends in `state`. */
export function unexpectedEnd(subject: string, state: number, atByte: number): JsonFault {
  if (isInsideCharacter(state)) {
    const message = `${subject} is not valid UTF-8: it ends inside a character at byte ${atByte}`;
    return { kind: "utf8", message, atByte };
  }
  const what = state === stateOf("start") ? "it is empty" : `it ends too early, at byte ${atByte}`;
  const message = `${subject} is not valid JSON: ${what}; expected ${expectedIn(state)}`;
  return { kind: "incomplete", message, atByte };
}

/** The fault of a bracket beyond the maximum depth. */
export function tooDeep(subject: string, maxDepth: number, atByte: number): JsonFault {
  const message = `${subject} is nested deeper than ${maxDepth} levels, which is the limit, at byte ${atByte}`;
  return { kind: "depth", message, atByte };
}

function byteInWords(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === '"') return "'\"'";
  if (byte > 0x20 && byte < 0x7f) return `"${character}"`;
  if (byte === 0x20) return "space";
  return `byte 0x${byte.toString(16).padStart(2, "0")}`;
}
