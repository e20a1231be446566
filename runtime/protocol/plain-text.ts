/** Skips plain characters inside a JSON string, four bytes at a time: most bytes of a large payload are plain. */

const BYTES_PER_WORD = 4;
const NO_WORDS = new Int32Array(0);

/** The highest bit of each byte. */
const HIGH_BITS = 0x80808080;

/** Bytes, and the words of four bytes among them. */
export class PlainTextFinder {
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  /** Offset of the first word. */
  readonly #wordsAt: number;

  constructor(bytes: Uint8Array) {
    const { buffer, byteOffset, byteLength } = bytes;
    const first = Math.ceil(byteOffset / BYTES_PER_WORD);
    const count = Math.floor((byteOffset + byteLength) / BYTES_PER_WORD) - first;
    this.#bytes = bytes;
    this.#wordsAt = first * BYTES_PER_WORD - byteOffset;
    this.#words = count > 0 ? new Int32Array(buffer, first * BYTES_PER_WORD, count) : NO_WORDS;
  }

  /**
   * The end of the run of plain bytes from `start` on. Plain bytes are printable ASCII except quotes and backslashes: a JSON
   * string needs no escape for them.
   */
  endOfRun(start: number): number {
    const words = this.#words;
    const wordsAt = this.#wordsAt;
    let word = Math.max(0, Math.ceil((start - wordsAt) / BYTES_PER_WORD));
    const firstAt = wordsAt + word * BYTES_PER_WORD;
    const at = this.#endBefore(start, firstAt);
    if (at < firstAt) return at;
    while (word < words.length && isPlainWord(words[word] ?? 0)) word += 1;
    return this.#endBefore(wordsAt + word * BYTES_PER_WORD, Infinity);
  }

  /** The end of the run byte by byte; `limit` if the run reaches it. */
  #endBefore(start: number, limit: number): number {
    let at = start;
    // A byte beyond the last one counts as not plain.
    while (at < limit && isPlain(this.#bytes[at] ?? 0)) at += 1;
    return at;
  }
}

/** True if the run is all of `bytes`. */
export function isPlainText(bytes: Uint8Array): boolean {
  return new PlainTextFinder(bytes).endOfRun(0) === bytes.byteLength;
}

function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c;
}

/** Subtraction sets the highest bit of a byte that is smaller, or that follows a smaller byte; both end the run. */
function isPlainWord(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const found = word | (word - 0x20202020) | (quotes - 0x01010101) | (backslashes - 0x01010101);
  return (found & HIGH_BITS) === 0;
}
