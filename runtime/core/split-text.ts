/**
 * Cuts the text of one large JSON value into parts, in a single pass and without building the value again.
 *
 * A part is a slice of the text between two cuts, after the brackets and keys that lead to its first element, and before the
 * closing brackets. The pass remembers the last place where a part can end within its limit, and cuts there when the next
 * element does not fit.
 */
import type { Buffer } from "node:buffer";
import { lastBorder, literalEnd, stringEnd } from "./json-scan.ts";

/** One part of a value. A small value is a single part with `continues: 0`. */
export interface JsonPart {
  /** JSON text of at most `maxBytes` bytes in UTF-8. */
  readonly json: string;
  /**
   * Number of nesting levels at which this part continues the previous one: 0 for the first part, 1 if only the outermost
   * array, object or string continues, 2 if its last element or entry continues too, and so on. A cut string counts as a level.
   * Each part repeats the keys on the way.
   */
  readonly continues: number;
}

/**
 * Minimum fraction of a part without repeated keys and brackets. Otherwise a value under a key of almost `maxBytes` would
 * become one part for each of its bytes.
 */
const ROOM_FRACTION = 16;
/** Maximum bytes of a key shown in an error. */
const SHOWN_KEY_BYTES = 40;

/**
 * The value is too large for one part and cannot be cut into smaller ones: the keys and brackets repeated in every part leave
 * no room. A key is too long, or the nesting too deep for the limit.
 */
export class NotSplittableError extends Error {
  override readonly name = "NotSplittableError";
  readonly code = "not_splittable";
  /** Bytes of the keys and brackets that lead to the value that did not fit. */
  readonly pathBytes: number;
  /** The limit for one part, in bytes of JSON text. */
  readonly maxBytes: number;

  constructor(path: string, pathBytes: number, maxBytes: number) {
    super(
      `The value cannot be split into parts of at most ${maxBytes} bytes: the keys and brackets that lead to ` +
        `${path} take ${pathBytes} bytes in each part. Shorten the keys or nest less deeply.`,
    );
    this.pathBytes = pathBytes;
    this.maxBytes = maxBytes;
  }
}

/** An array or object that is open at the present place of the pass. */
interface Frame {
  readonly isObject: boolean;
  /** Bytes of the brackets and keys from the outermost container to this one's own opening bracket. */
  readonly openBytes: number;
  /** Start of the current entry's key, with its quotes. `keyEnd` is 0 until the key is read. */
  keyStart: number;
  keyEnd: number;
}

/** A place after an element, at which the part can end. Its byte is the comma before the next element. */
interface Cut {
  readonly at: number;
  readonly depth: number;
}

/**
 * Parts of at most `maxBytes` bytes each.
 *
 * @param bytes compact JSON text as `JSON.stringify` writes it: valid, without white space
 * @throws NotSplittableError
 */
export function splitJsonText(bytes: Buffer, maxBytes: number): readonly JsonPart[] {
  const splitting = splitInSlices(bytes, maxBytes, Infinity);
  for (;;) {
    const { done, value } = splitting.next();
    if (done === true) return value;
  }
}

/** Splits as {@link splitJsonText}, with a pause after each `sliceBytes`, but none within a part of a string. */
export function splitInSlices(
  bytes: Buffer,
  maxBytes: number,
  sliceBytes: number,
): Generator<void, readonly JsonPart[]> {
  return new TextSplitter(bytes, maxBytes).split(sliceBytes);
}

class TextSplitter {
  readonly #bytes: Buffer;
  readonly #maxBytes: number;
  readonly #maxPathBytes: number;
  readonly #parts: JsonPart[] = [];
  readonly #frames: Frame[] = [];
  /** The present part: the start of its slice, and the text before the slice. */
  #from = 0;
  #prefix = "";
  #prefixBytes = 0;
  #continues = 0;
  #cut: Cut | undefined;
  /** The index after the closing quote of the string that is being cut into parts; 0 without one. */
  #cutStringEnd = 0;

  constructor(bytes: Buffer, maxBytes: number) {
    this.#bytes = bytes;
    this.#maxBytes = maxBytes;
    this.#maxPathBytes = maxBytes - Math.floor(maxBytes / ROOM_FRACTION);
  }

  *split(sliceBytes: number): Generator<void, readonly JsonPart[]> {
    let at = 0;
    for (let sliceEnd = sliceBytes; at < this.#bytes.length;) {
      at = this.#step(at);
      if (at < sliceEnd) continue;
      sliceEnd = at + sliceBytes;
      yield;
    }
    this.#finishPart(at, "");
    return this.#parts;
  }

  /** Reads one token, or a part of a string that fills parts. Returns the index at which to go on. */
  #step(at: number): number {
    if (this.#cutStringEnd > 0) return this.#cutString(at, this.#cutStringEnd);
    switch (this.#bytes[at]) {
      case 0x5b: // [
      case 0x7b: // {
        this.#open(this.#bytes[at] === 0x7b);
        return at + 1;
      case 0x5d: // ]
      case 0x7d: // }
        this.#frames.pop();
        this.#endElement(at + 1);
        return at + 1;
      case 0x2c: // ,
        this.#forgetKey();
        return at + 1;
      case 0x22: // "
        return this.#string(at);
      default: {
        const end = literalEnd(this.#bytes, at);
        this.#endElement(end);
        return end;
      }
    }
  }

  #open(isObject: boolean): void {
    const openBytes = this.#pathBytes() + 1;
    this.#frames.push({ isObject, openBytes, keyStart: 0, keyEnd: 0 });
  }

  #forgetKey(): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined) frame.keyEnd = 0;
  }

  #string(start: number): number {
    const end = stringEnd(this.#bytes, start);
    const frame = this.#frames.at(-1);
    if (frame?.isObject === true && frame.keyEnd === 0) {
      frame.keyStart = start;
      frame.keyEnd = end;
      return end + 1; // after the colon
    }
    // A string that fills a part is cut. Any other string stays whole, even if the previous part becomes shorter.
    const aloneBytes = this.#pathBytes() + (end - start) + this.#frames.length;
    if (aloneBytes > this.#maxBytes) {
      this.#cutStringEnd = end;
      return start + 1;
    }
    this.#endElement(end);
    return end;
  }

  /** Bytes of the brackets and keys before the next value. */
  #pathBytes(): number {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return 0;
    return frame.openBytes + keyBytes(frame);
  }

  /** The size of the current part if it ended at `end`, its closing brackets included. */
  #sizeTo(end: number): number {
    return this.#prefixBytes + (end - this.#from) + this.#frames.length;
  }

  #endElement(end: number): void {
    if (this.#sizeTo(end) > this.#maxBytes) {
      this.#cutBetween();
      if (this.#sizeTo(end) > this.#maxBytes) throw this.#notSplittable();
    }
    const depth = this.#frames.length;
    const openBytes = this.#frames.at(-1)?.openBytes;
    if (openBytes !== undefined && openBytes + depth <= this.#maxPathBytes) {
      this.#cut = { at: end, depth };
    }
  }

  #cutBetween(): void {
    const cut = this.#cut;
    if (cut === undefined) throw this.#notSplittable();
    this.#finishPart(cut.at, this.#closing(cut.depth));
    const prefixBytes = this.#frames[cut.depth - 1]?.openBytes ?? 0;
    this.#startPart(cut.at + 1, this.#opening(cut.depth, false), prefixBytes, cut.depth);
  }

  /** Puts as much of a string as fits into a part, from `at` on; `end` is after its closing quote. */
  #cutString(at: number, end: number): number {
    const depth = this.#frames.length;
    const prefixBytes = this.#pathBytes() + 1;
    if (prefixBytes + 1 + depth > this.#maxPathBytes) throw this.#notSplittable();
    if (this.#sizeTo(end) <= this.#maxBytes) {
      this.#cutStringEnd = 0;
      this.#endElement(end);
      return end;
    }
    const limit = this.#from + this.#maxBytes - this.#prefixBytes - depth - 1;
    const border = lastBorder(this.#bytes, at, limit);
    if (border === at) {
      this.#cutBetween();
      return at;
    }
    this.#finishPart(border, `"${this.#closing(depth)}`);
    this.#startPart(border, `${this.#opening(depth, true)}"`, prefixBytes, depth + 1);
    return border;
  }

  #finishPart(end: number, suffix: string): void {
    const json = this.#prefix + this.#bytes.toString("utf8", this.#from, end) + suffix;
    this.#parts.push({ json, continues: this.#continues });
  }

  #startPart(from: number, prefix: string, prefixBytes: number, continues: number): void {
    this.#from = from;
    this.#prefix = prefix;
    this.#prefixBytes = prefixBytes;
    this.#continues = continues;
    this.#cut = undefined;
  }

  /** Brackets and keys of the outer `depth` containers; the innermost one's key only if its entry continues. */
  #opening(depth: number, withLastKey: boolean): string {
    const pieces = this.#frames.slice(0, depth).map((frame, index) => {
      if (!frame.isObject) return "[";
      const withKey = withLastKey || index < depth - 1;
      return withKey ? `{${this.#bytes.toString("utf8", frame.keyStart, frame.keyEnd)}:` : "{";
    });
    return pieces.join("");
  }

  #closing(depth: number): string {
    const pieces = this.#frames.slice(0, depth).map((frame) => (frame.isObject ? "}" : "]"));
    return pieces.toReversed().join("");
  }

  #notSplittable(): NotSplittableError {
    const keys = this.#frames.filter((frame) => keyBytes(frame) > 0);
    const shown = keys.slice(-3).map(({ keyStart, keyEnd }) => {
      const end = lastBorder(this.#bytes, keyStart, Math.min(keyEnd, keyStart + SHOWN_KEY_BYTES));
      return this.#bytes.toString("utf8", keyStart, end) + (end < keyEnd ? "…" : "");
    });
    const path = shown.length > 0 ? `the value under ${shown.join(" / ")}` : "the value";
    const where = `${path} (${this.#frames.length} levels deep)`;
    return new NotSplittableError(where, this.#pathBytes() + this.#frames.length, this.#maxBytes);
  }
}

/** Bytes of the current entry's key with its quotes and colon. */
function keyBytes(frame: Frame): number {
  return frame.keyEnd === 0 ? 0 : frame.keyEnd - frame.keyStart + 1;
}
