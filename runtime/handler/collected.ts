/** Collects a generator's yields into the job's output, as text that was made for the stream anyway. */
import { Buffer } from "node:buffer";
import { LIMITS } from "../protocol/limits.ts";
import { tooLarge } from "./output.ts";

/** An array in the making. */
export class Collected {
  readonly #parts: string[] = [];
  /** Both brackets. */
  #bytes = 2;

  /** @throws InvalidOutputError as soon as the array would be larger than 20 MB */
  add(json: string): void {
    const comma = this.#parts.length === 0 ? 0 : 1;
    this.#bytes += Buffer.byteLength(json) + comma;
    if (this.#bytes > LIMITS.outputMaxBytes) throw tooLarge(this.#bytes);
    this.#parts.push(json);
  }

  json(): string {
    return `[${this.#parts.join(",")}]`;
  }
}
