/** Decides which chunks fit in the window a reader asked for; the same for every adapter. */
import type { ChunkWindow } from "./store.ts";

export class ChunkSelection {
  readonly #window: ChunkWindow;
  #count = 0;
  #bytes = 0;

  constructor(window: ChunkWindow) {
    this.#window = window;
  }

  /** True if the next chunk, of that size, still fits; it then counts as taken. */
  takes(sizeBytes: number): boolean {
    if (this.#count >= this.#window.maxCount) return false;
    if (this.#count > 0 && this.#bytes + sizeBytes > this.#window.maxBytes) return false;
    this.#count += 1;
    this.#bytes += sizeBytes;
    return true;
  }
}
