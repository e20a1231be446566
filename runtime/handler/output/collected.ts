/** Collects a generator's yields into the job's output, from the JSON text that was written for the stream anyway. */
import { Buffer } from "node:buffer";
import { tooLarge } from "./output.ts";

/** An array in the making. */
export class Collected {
  readonly #maxBytes: number;
  readonly #parts: string[] = [];
  /** Both brackets. */
  #bytes = 2;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws InvalidOutputError as soon as the array would be larger than that */
  add(json: string): void {
    const comma = this.#parts.length === 0 ? 0 : 1;
    this.#bytes += Buffer.byteLength(json) + comma;
    if (this.#bytes > this.#maxBytes) throw tooLarge(this.#bytes, this.#maxBytes);
    this.#parts.push(json);
  }

  json(): string {
    return `[${this.#parts.join(",")}]`;
  }
}
