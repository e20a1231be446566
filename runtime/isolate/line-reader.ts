/** Splits a stream of bytes into lines. Keeps at most a maximum number of bytes of a line. */
import { Buffer } from "node:buffer";

const LINE_BREAK = 0x0a;
const CUT = " [cut]";

/** Bounds its memory, however much is printed without a line break. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #each: (line: string) => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  /** @param each called with each line, without its line break */
  constructor(maxBytes: number, each: (line: string) => void) {
    this.#maxBytes = maxBytes;
    this.#each = each;
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
    if (from < piece.length) this.#keep(Buffer.from(piece.subarray(from)));
  }

  /** Call it at the end of the stream. Remaining text without a line break counts as a line. */
  end(): void {
    if (this.#bytes > 0) this.#emit();
  }

  #keep(part: Buffer): void {
    const room = this.#maxBytes - this.#bytes;
    if (part.length > room) this.#isCut = true;
    const kept = part.subarray(0, room);
    if (kept.length === 0) return;
    this.#parts.push(kept);
    this.#bytes += kept.length;
  }

  #emit(): void {
    const [first] = this.#parts;
    const whole =
      this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts);
    const text = whole.toString().replace(/\r$/u, "");
    const line = this.#isCut ? text + CUT : text;
    this.#parts = [];
    this.#bytes = 0;
    this.#isCut = false;
    this.#each(line);
  }
}
