/** The space of a body's bytes while they arrive. */
import { Buffer } from "node:buffer";
import { largeMemory } from "../core/jobs/free-memory.ts";
import { asBuffer } from "../../runtime/protocol/wire/wire-fields.ts";
import { SLICE_BYTES } from "../core/jobs/raw-json/scan.ts";

export interface BodySpace {
  readonly size: number;
  /** True if the bytes were copied, so that `chunk` is not needed any more. */
  add(chunk: Uint8Array): boolean;
  /** True when a slice has come since the last true result. The caller then lets other work run, and awaits `flushed`. */
  fillsSlice(): boolean;
  /** Resolves when the bytes that have come are within their limit of memory. */
  flushed(): Promise<void>;
  /** The beginning of a body that is not read to its end. */
  beginning(): Buffer;
  /** Call it once, at the end. */
  whole(): Promise<Buffer> | Buffer;
}

function memoryOf(sizeBytes: number): Buffer {
  return sizeBytes > SLICE_BYTES ? largeMemory(sizeBytes) : Buffer.allocUnsafeSlow(sizeBytes);
}

/** Joins chunks with at most one copy of each: at once if the length is known, else at the end. */
export class BodyInMemory implements BodySpace {
  size = 0;
  readonly #declared: number | undefined;
  readonly #memoryFor: (sizeBytes: number) => Buffer;
  readonly #chunks: Uint8Array[] = [];
  #space: Buffer | undefined;
  #sliceEnd = SLICE_BYTES;

  constructor(declared: number | undefined, memoryFor = memoryOf) {
    this.#declared = declared;
    this.#memoryFor = memoryFor;
  }

  add(chunk: Uint8Array): boolean {
    const isWhole = this.size === 0 && chunk.length === this.#declared;
    const at = this.size;
    this.size += chunk.length;
    if (this.#declared === undefined || isWhole) {
      this.#chunks.push(chunk);
      return false;
    }
    this.#space ??= this.#memoryFor(this.#declared);
    this.#space.set(chunk, at);
    return true;
  }

  fillsSlice(): boolean {
    if (this.size < this.#sliceEnd) return false;
    this.#sliceEnd = this.size + SLICE_BYTES;
    return true;
  }

  async flushed(): Promise<void> {}

  beginning(): Buffer {
    return this.whole();
  }

  whole(): Buffer {
    if (this.#space) return this.#space.subarray(0, this.size);
    const [first] = this.#chunks;
    return first && this.#chunks.length === 1
      ? asBuffer(first)
      : Buffer.concat(this.#chunks, this.size);
  }
}
