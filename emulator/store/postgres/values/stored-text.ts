/**
 * Encodes texts of users as bytes, because PostgreSQL texts cannot contain NUL, and UTF-8 cannot contain a lone surrogate. A lone
 * surrogate becomes the three bytes that UTF-8 would have for it (WTF-8), so that every JavaScript string comes back unchanged.
 */
import { Buffer } from "node:buffer";

/** Replaces invalid UTF-8 in a decoded text. */
const REPLACEMENT = "\uFFFD";

export function textToBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const pieces: Buffer[] = [];
  for (const character of text) {
    const code = character.charCodeAt(0);
    const isAlone = character.length === 1 && code >= 0xd800 && code <= 0xdfff;
    pieces.push(
      isAlone
        ? Buffer.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
        : Buffer.from(character),
    );
  }
  return Buffer.concat(pieces);
}

export function bytesToText(bytes: Buffer): string {
  const text = bytes.toString();
  return text.includes(REPLACEMENT) ? withLoneSurrogates(bytes) : text;
}

function withLoneSurrogates(bytes: Buffer): string {
  let text = "";
  let from = 0;
  for (let at = bytes.indexOf(0xed); at >= 0; at = bytes.indexOf(0xed, at + 1)) {
    const [second = 0, third = 0] = bytes.subarray(at + 1, at + 3);
    // Lower bytes belong to valid characters of UTF-8.
    if (second < 0xa0) continue;
    const alone = 0xd000 | ((second & 63) << 6) | (third & 63);
    text += bytes.toString("utf8", from, at) + String.fromCharCode(alone);
    from = at + 3;
  }
  return text + bytes.toString("utf8", from);
}
