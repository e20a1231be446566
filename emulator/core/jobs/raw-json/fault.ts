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

/** The text that a fault is in. */
export interface FaultyText {
  /** As in "the body". */
  readonly subject: string;
  /** Whether a client sent it, perhaps from a shell. */
  readonly isSent: boolean;
}

/** The fault of a byte that the grammar does not allow. */
export function unexpectedByte(
  { subject, isSent }: FaultyText,
  state: number,
  byte: number,
  atByte: number,
): JsonFault {
  const place = `unexpected ${byteInWords(byte)} at byte ${atByte}`;
  const inString = state === stateOf("string");
  if (isInsideCharacter(state) || (inString && byte >= 0x80)) {
    return { kind: "utf8", message: `${subject} is not valid UTF-8: ${place}`, atByte };
  }
  let hint = (isSent && shellHint(state, byte, atByte)) || `expected ${expectedIn(state)}`;
  if (inString) hint = "a control character in a string must be escaped";
  if (byte === 0xef && atByte === 0) hint = "send UTF-8 without a byte order mark";
  return { kind: "syntax", message: `${subject} is not valid JSON: ${place}; ${hint}`, atByte };
}

/** A line that is right in cmd and in PowerShell 7.3 or later. */
const CURL = String.raw`curl -d "{\"input\": {}}"`;

/** Recognizes what shells of Windows make of a text. */
function shellHint(state: number, byte: number, atByte: number): string | undefined {
  if (atByte === 0 && byte === SINGLE_QUOTE)
    return `the shell passed the single quotes on, as cmd does; write ${CURL}`;
  if (atByte === 0 ? byte >= 0xfe : atByte === 1 && byte === 0)
    return 'it is UTF-16; save it as UTF-8, in PowerShell with "Set-Content -Encoding utf8"';
  const isKey = state === stateOf("firstKey") || state === stateOf("key");
  if (isKey && byte === SINGLE_QUOTE) return "JSON has double quotes";
  if (isKey && /[\w$]/u.test(String.fromCharCode(byte)))
    return `a key has no double quotes, which shells take away; write ${CURL}, or put the text into a file: curl -d @body.json`;
  return undefined;
}

const SINGLE_QUOTE = 0x27;

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
