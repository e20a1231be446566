/** Splits a stream of bytes into lines. Keeps at most a maximum number of bytes of a line. */
import { Buffer } from "node:buffer";
import { barState, shownText } from "../pipe/bar-text.ts";

const LINE_BREAK = 0x0a;
const RETURN = 0x0d;
const CUT = " [cut]";

/** Bounds its memory, however much is printed without a line break. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #each: (line: string) => void;
  readonly #state: ((text: string) => void) | undefined;
  #parts: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  /**
   * @param each called with each line, without its line break
   * @param state called with each state of a progress bar, a line that begins again before it ends
   */
  constructor(maxBytes: number, each: (line: string) => void, state?: (text: string) => void) {
    this.#maxBytes = maxBytes;
    this.#each = each;
    this.#state = state;
  }

  push(piece: Buffer): void {
    let from = 0;
    for (;;) {
      const end = piece.indexOf(LINE_BREAK, from);
      if (end === -1) break;
      this.#keep(piece.subarray(from, end));
      this.#emit();
      from = end + 1;
    }
    if (from === piece.length) return;
    this.#keep(Buffer.from(piece.subarray(from)));
    if (this.#parts[0]?.[0] !== RETURN) return;
    // The last character may be incomplete.
    const state = barState(this.#text.replace(/\uFFFD$/u, ""));
    if (state !== undefined) this.#state?.(state);
  }

  /** Call it at the end of the stream. Remaining text without a line break counts as a line. */
  end(): void {
    if (this.#bytes > 0) this.#emit();
  }

  #keep(whole: Buffer): void {
    const part = this.#sinceReturn(whole);
    const room = this.#maxBytes - this.#bytes;
    if (part.length > room) this.#isCut = true;
    const kept = part.subarray(0, room);
    if (kept.length === 0) return;
    this.#parts.push(kept);
    this.#bytes += kept.length;
  }

  /** Drops the text before the last `\r` that begins the line again. Returns the rest, with that `\r`. */
  #sinceReturn(part: Buffer): Buffer {
    let end = part.length;
    // A `\r` at the end may belong to `\r\n`.
    while (part[end - 1] === RETURN) end--;
    if (end === 0) return part;
    const at = part.lastIndexOf(RETURN, end - 1);
    const isOpen = this.#parts.at(-1)?.at(-1) === RETURN;
    if (at === -1 && !isOpen) return part;
    this.#drop();
    return at === -1 ? Buffer.concat([Buffer.of(RETURN), part]) : part.subarray(at);
  }

  get #text(): string {
    const [first] = this.#parts;
    const isOne = this.#parts.length === 1 && first !== undefined;
    return (isOne ? first : Buffer.concat(this.#parts)).toString();
  }

  #drop(): void {
    this.#parts = [];
    this.#bytes = 0;
    this.#isCut = false;
  }

  #emit(): void {
    const text = shownText(this.#text);
    const line = this.#isCut ? text + CUT : text;
    this.#drop();
    this.#each(line);
  }
}
