/** Gathers the chunks a handler yields in one turn of the event loop, so that many small ones travel as one. */
import { Buffer } from "node:buffer";
import type { ChunkBatch } from "../../protocol/chunk-batch.ts";

/** UTF-16 units of text after which a batch is closed; a larger chunk travels alone. */
const PACK_UNITS = 131_072;

/** A UTF-16 unit takes three bytes at most. */
const scratch = Buffer.allocUnsafeSlow(3 * PACK_UNITS);

/** The chunks of one invocation, in the order of their indexes, without gaps. */
export class ChunkPack {
  readonly #send: (batch: ChunkBatch) => void;
  #text = "";
  #count = 0;
  #nextIndex = 0;

  /** `send` is called with each batch that is full. */
  constructor(send: (batch: ChunkBatch) => void) {
    this.#send = send;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** @param line the chunk's JSON text with its line feed; as bytes it travels alone, as it is */
  add(line: string | Buffer): void {
    const isText = typeof line === "string";
    if (!isText || this.#text.length + line.length > PACK_UNITS) this.flush();
    const index = this.#nextIndex;
    this.#nextIndex += 1;
    if (isText) {
      this.#text += line;
      this.#count += 1;
    } else {
      this.#send({ firstIndex: index, count: 1, lines: line });
    }
  }

  /** Sends the collected chunks. */
  flush(): void {
    if (this.#count === 0) return;
    const count = this.#count;
    const lines = bytesOf(this.#text);
    this.#text = "";
    this.#count = 0;
    this.#send({ firstIndex: this.#nextIndex - count, count, lines });
  }
}

/** In UTF-8. What fits is written without being measured before, which would take as long. */
function bytesOf(text: string): Buffer {
  if (text.length > PACK_UNITS) return Buffer.from(text);
  return Buffer.from(scratch.subarray(0, scratch.write(text)));
}
