/** Skips plain characters inside a JSON string, four bytes at a time: most bytes of a large payload are plain. */

const BYTES_PER_WORD = 4;

/** The highest bit of each byte. */
const HIGH_BITS = 0x80808080;

/**
 * The end of a run of bytes from `start` on that are printable ASCII and neither a quote nor a backslash: in a JSON
 * string they stand for themselves. The run may go on by a few bytes more than is answered.
 */
export function endOfPlainText(bytes: Uint8Array, start: number): number {
  const { buffer, byteOffset, byteLength } = bytes;
  const firstWord = Math.ceil((byteOffset + start) / BYTES_PER_WORD);
  const wordCount = Math.floor((byteOffset + byteLength) / BYTES_PER_WORD) - firstWord;
  if (wordCount <= 0) return start;
  const firstAt = firstWord * BYTES_PER_WORD - byteOffset;
  for (let at = start; at < firstAt; at += 1) if (!isPlain(bytes[at] ?? 0)) return at;
  const words = new Int32Array(buffer, firstWord * BYTES_PER_WORD, wordCount);
  let at = 0;
  while (at < wordCount && isPlainWord(words[at] ?? 0)) at += 1;
  return firstAt + at * BYTES_PER_WORD;
}

/** True when every byte is such. */
export function isPlainText(bytes: Uint8Array): boolean {
  for (let at = endOfPlainText(bytes, 0); at < bytes.byteLength; at += 1) {
    if (!isPlain(bytes[at] ?? 0)) return false;
  }
  return true;
}

function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c;
}

/** Subtracting sets a byte's highest bit where the byte was smaller, or where a lower byte was; both end the run. */
function isPlainWord(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const found = word | (word - 0x20202020) | (quotes - 0x01010101) | (backslashes - 0x01010101);
  return (found & HIGH_BITS) === 0;
}
