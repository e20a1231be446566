/** Finds ends of tokens, and places for cuts, in compact JSON as UTF-8 bytes. The JSON was checked before. */
import { Buffer } from "node:buffer";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const SHORT_ESCAPE_BYTES = 2;
const UNICODE_ESCAPE_BYTES = 6;

/** Returns the index after the closing quote of the string that opens at `start`. */
export function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (;;) {
    const byte = bytes[at];
    if (byte === QUOTE || byte === undefined) return at + 1;
    at += byte === BACKSLASH ? SHORT_ESCAPE_BYTES : 1;
  }
}

/** The index after the number, `true`, `false` or `null` that starts at `start`. */
export function literalEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at];
    // A comma, a closing bracket or brace, or the end of the text.
    if (byte === 0x2c || byte === 0x5d || byte === 0x7d || byte === undefined) return at;
    at += 1;
  }
}

/** The index after the value that starts at `start`, where a comma, a closing bracket or a brace follows. */
export function valueEnd(bytes: Uint8Array, start: number): number {
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    const isClosing = byte === 0x5d || byte === 0x7d;
    if (depth === 0 && (isClosing || byte === 0x2c)) return at;
    if (byte === 0x5b || byte === 0x7b) depth += 1;
    if (isClosing) depth -= 1;
    at = byte === QUOTE ? stringEnd(bytes, at) : at + 1;
  }
  return at;
}

/** The last border between characters of a string up to `limit`. `start` is such a border. */
export function lastBorder(bytes: Uint8Array, start: number, limit: number): number {
  let at = start;
  for (;;) {
    const next = at + unitBytes(bytes, at);
    if (next > limit) return at;
    at = next;
  }
}

/** The size of the unit at `at` that a cut must leave whole: a character, an escape, or an escaped surrogate pair. */
function unitBytes(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead === BACKSLASH) return escapeBytes(bytes, at);
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

function escapeBytes(bytes: Uint8Array, at: number): number {
  if (bytes[at + 1] !== LOWER_U) return SHORT_ESCAPE_BYTES;
  const next = at + UNICODE_ESCAPE_BYTES;
  const isPair = isSurrogate(bytes, at, HIGH) && isSurrogate(bytes, next, LOW);
  return isPair ? 2 * UNICODE_ESCAPE_BYTES : UNICODE_ESCAPE_BYTES;
}

/** The third digit of `\uD8xx` to `\uDBxx`, and of `\uDCxx` to `\uDFxx`, either case. */
const HIGH: ReadonlySet<number | undefined> = new Set(Buffer.from("89ABab"));
const LOW: ReadonlySet<number | undefined> = new Set(Buffer.from("CDEFcdef"));

function isSurrogate(
  bytes: Uint8Array,
  at: number,
  digits: ReadonlySet<number | undefined>,
): boolean {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LOWER_U) return false;
  const isD = bytes[at + 2] === 0x44 || bytes[at + 2] === 0x64;
  return isD && digits.has(bytes[at + 3]);
}
