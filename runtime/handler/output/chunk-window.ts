/** Limits the chunks that a generator has sent and the service has not stored yet. */
import { LIMITS } from "../../protocol/limits.ts";

/** Bounds the memory of one job's stream, in every process on its path. */
export class ChunkWindow {
  /** Sizes of chunks without a receipt, oldest first. */
  #sizes: number[] = [];
  #bytes = 0;
  /** Index of the oldest chunk without a receipt. */
  #storedTo = 0;
  #open = false;
  #wake: (() => void) | undefined;

  sent(bytes: number): void {
    this.#sizes.push(bytes);
    this.#bytes += bytes;
  }

  stored(nextIndex: number): void {
    const count = Math.min(Math.max(0, nextIndex - this.#storedTo), this.#sizes.length);
    if (count === 0) return;
    this.#storedTo += count;
    for (const bytes of this.#sizes.splice(0, count)) this.#bytes -= bytes;
    if (!this.#isFull()) this.#wakeUp();
  }

  /** Ends the window. Further chunks do not count, and waiting callers continue. */
  release(): void {
    this.#open = true;
    this.#wakeUp();
  }

  /** Resolves when another chunk may be sent. Undefined if it may be sent now. */
  room(): Promise<void> | undefined {
    if (!this.#isFull()) return undefined;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #isFull(): boolean {
    if (this.#open) return false;
    return this.#sizes.length >= LIMITS.unackedChunks || this.#bytes >= LIMITS.unackedChunkBytes;
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
