/** Reads a body piece by piece, up to a mark that a test waits for. */
import type { Readable } from "node:stream";

export class TextReader {
  readonly #pieces: AsyncIterator<unknown>;
  #text = "";

  constructor(body: Readable) {
    body.setEncoding("utf8");
    this.#pieces = body[Symbol.asyncIterator]();
  }

  /** The text up to and including the next `mark`. */
  async until(mark: string): Promise<string> {
    while (!this.#text.includes(mark)) {
      const { done, value } = await this.#pieces.next();
      if (done === true)
        throw new Error(`the body ended before ${JSON.stringify(mark)}: ${this.#text}`);
      this.#text += String(value);
    }
    const end = this.#text.indexOf(mark) + mark.length;
    const text = this.#text.slice(0, end);
    this.#text = this.#text.slice(end);
    return text;
  }

  /** The rest of the body. */
  async rest(): Promise<string> {
    for (;;) {
      const { done, value } = await this.#pieces.next();
      if (done === true) return this.#text;
      this.#text += String(value);
    }
  }
}
