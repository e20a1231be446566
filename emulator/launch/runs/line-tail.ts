/** Cuts the output of a process into lines, in bounded memory, and keeps the last ones. */
import { StringDecoder } from "node:string_decoder";
import { LIMITS } from "../../../runtime/protocol/limits.ts";

export class LineTail {
  readonly #line: (line: string) => void;
  readonly #last: string[] = [];
  readonly #decoder = new StringDecoder("utf8");
  #partial = "";

  /** @param line called with each line; a line that is longer than the limit comes in pieces */
  constructor(line: (line: string) => void) {
    this.#line = line;
  }

  push(bytes: Buffer): void {
    const pieces = (this.#partial + this.#decoder.write(bytes)).split("\n");
    this.#partial = pieces.pop() ?? "";
    for (const piece of pieces) this.#emit(piece);
    if (this.#partial.length <= LIMITS.logLineMaxBytes) return;
    this.#emit(this.#partial);
    this.#partial = "";
  }

  /** Ends an unfinished line, and returns the last lines, oldest first. */
  end(): readonly string[] {
    if (this.#partial !== "") this.#emit(this.#partial);
    this.#partial = "";
    return [...this.#last];
  }

  #emit(line: string): void {
    this.#last.push(line);
    if (this.#last.length > LIMITS.lastLogLines) this.#last.shift();
    this.#line(line);
  }
}
