/**
 * Writes values one after another into one buffer, which goes to the thread of the store without a copy. The checksum of a row
 * is the checksum of these bytes: never change the form of a value.
 */
import { Buffer } from "node:buffer";
import type { SQLOutputValue } from "node:sqlite";

const NULL = 0;
const NUMBER = 1;
const TEXT = 2;
const BYTES = 3;
/** Size of a tag with a number or a length. */
const HEAD_BYTES = 9;
/** Maximum length of a text that is written in JavaScript. For short texts, mostly ids, a native call costs more. */
const SHORT_TEXT = 48;

export class ValueWriter {
  #bytes: Buffer<ArrayBuffer>;
  #view: DataView;
  #at = 0;

  /** @param sizeBytes estimated size. The buffer grows if necessary. */
  constructor(sizeBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(sizeBytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  value(value: SQLOutputValue): void {
    if (typeof value === "number") this.number(value);
    else if (typeof value === "string") this.text(value);
    else if (value instanceof Uint8Array) this.bytes(value);
    else if (value === null) this.#null();
    else this.number(Number(value));
  }

  number(value: number): void {
    this.#room(HEAD_BYTES);
    this.#head(NUMBER, value);
    this.#at += HEAD_BYTES;
  }

  text(value: string): void {
    this.#room(HEAD_BYTES + 3 * value.length);
    const start = this.#at + HEAD_BYTES;
    const sizeBytes =
      value.length <= SHORT_TEXT && this.#isAscii(value, start)
        ? value.length
        : this.#bytes.write(value, start);
    this.#head(TEXT, sizeBytes);
    this.#at = start + sizeBytes;
  }

  /** Copies the bytes. */
  bytes(value: Uint8Array): void {
    this.#room(HEAD_BYTES + value.byteLength);
    this.#head(BYTES, value.byteLength);
    this.#bytes.set(value, this.#at + HEAD_BYTES);
    this.#at += HEAD_BYTES + value.byteLength;
  }

  /** Reserves room for a number that `fill` writes later. Returns its place. */
  reserve(): number {
    const place = this.#at;
    this.number(0);
    return place;
  }

  fill(place: number, value: number): void {
    this.#view.setFloat64(place + 1, value, true);
  }

  clear(): void {
    this.#at = 0;
  }

  get written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#at);
  }

  /** Returns the buffer, which may be longer than its content. */
  finish(): ArrayBuffer {
    return this.#bytes.buffer;
  }

  #null(): void {
    this.#room(1);
    this.#bytes[this.#at] = NULL;
    this.#at += 1;
  }

  #head(tag: number, value: number): void {
    this.#bytes[this.#at] = tag;
    this.#view.setFloat64(this.#at + 1, value, true);
  }

  /** Writes the text up to its first non-ASCII character. Returns true if the whole text was written. */
  #isAscii(value: string, start: number): boolean {
    const bytes = this.#bytes;
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > 127) return false;
      bytes[start + index] = code;
    }
    return true;
  }

  #room(sizeBytes: number): void {
    const needed = this.#at + sizeBytes;
    if (needed <= this.#bytes.byteLength) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.byteLength));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

export class ValueReader {
  readonly #bytes: Buffer<ArrayBuffer>;
  readonly #view: DataView;
  #at = 0;

  constructor(buffer: ArrayBuffer) {
    this.#bytes = Buffer.from(buffer);
    this.#view = new DataView(buffer);
  }

  /** Offset of the next value. */
  get at(): number {
    return this.#at;
  }

  /** Returns the bytes from `start` up to the next value. */
  since(start: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(start, this.#at);
  }

  number(): number {
    const value = this.#view.getFloat64(this.#at + 1, true);
    this.#at += HEAD_BYTES;
    return value;
  }

  /** Replaces the next number, and skips it. */
  replaceNumber(value: number): void {
    this.#view.setFloat64(this.#at + 1, value, true);
    this.#at += HEAD_BYTES;
  }

  text(): string {
    const { start, end } = this.#body();
    return this.#bytes.toString("utf8", start, end);
  }

  /** A view of the buffer. */
  bytes(): Uint8Array<ArrayBuffer> {
    const { start, end } = this.#body();
    return this.#bytes.subarray(start, end);
  }

  value(): SQLOutputValue {
    switch (this.#bytes[this.#at]) {
      case NUMBER:
        return this.number();
      case TEXT:
        return this.text();
      case BYTES:
        return this.bytes();
      default:
        this.#at += 1;
        return null;
    }
  }

  skip(): void {
    const tag = this.#bytes[this.#at];
    if (tag === TEXT || tag === BYTES) this.#body();
    else this.#at += tag === NUMBER ? HEAD_BYTES : 1;
  }

  #body(): { start: number; end: number } {
    const start = this.#at + HEAD_BYTES;
    const end = start + this.#view.getFloat64(this.#at + 1, true);
    this.#at = end;
    return { start, end };
  }
}
