/** Collects the chunks that a handler yields in one turn of the event loop, so that many small chunks are sent as one batch. */
import { Buffer } from "node:buffer";
import type { ChunkBatch } from "../../protocol/chunk-batch.ts";

/** Maximum UTF-16 units of a batch. A larger chunk is sent alone. */
const PACK_UNITS = 131_072;

/** Buffer for a batch in UTF-8. A UTF-16 unit takes at most three bytes. */
const scratch = Buffer.allocUnsafeSlow(3 * PACK_UNITS);

/** The chunks of one invocation, in the order of their indexes, without gaps. */
export class ChunkPack {
  readonly #send: (batch: ChunkBatch) => void;
  #text = "";
  #count = 0;
  #nextIndex = 0;

  /** @param send called with each full batch */
  constructor(send: (batch: ChunkBatch) => void) {
    this.#send = send;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** @param line the chunk's JSON text with its line feed; bytes are sent alone, unchanged */
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

/** The text in UTF-8. It is not measured first, because measuring takes as long as writing. */
function bytesOf(text: string): Buffer {
  if (text.length > PACK_UNITS) return Buffer.from(text);
  return Buffer.from(scratch.subarray(0, scratch.write(text)));
}
