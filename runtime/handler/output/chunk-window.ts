/** Limits how far a generator may run ahead of the service: chunks that were sent and are not yet stored. */
import { LIMITS } from "../../protocol/limits.ts";

/** Bounds the memory that one job's stream takes anywhere on its way. */
export class ChunkWindow {
  /** Sizes of the chunks without a receipt, oldest first. */
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

  /** Ends the window: no further chunk counts, and no caller waits. */
  release(): void {
    this.#open = true;
    this.#wakeUp();
  }

  /** Resolves when another chunk may be sent; undefined when it may be now. */
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
