/** Reports the failure of a bucket, and its recovery. */
import { StoreFullError, StoreUnusableError } from "../../core/store-error.ts";
import type { Blobs, OpenedBlob } from "./blobs.ts";

export class WatchedBlobs implements Blobs {
  readonly #blobs: Blobs;
  readonly #tell: (failure: Error | undefined) => void;
  #isFailing = false;

  /** @param tell called with the first failure, and with undefined after the next success */
  constructor(blobs: Blobs, tell: (failure: Error | undefined) => void) {
    this.#blobs = blobs;
    this.#tell = tell;
  }

  put(name: string, parts: readonly Uint8Array[]): Promise<void> {
    return this.#watch(this.#blobs.put(name, parts));
  }

  read(name: string, offset: number, sizeBytes: number): Promise<OpenedBlob | undefined> {
    return this.#watch(this.#blobs.read(name, offset, sizeBytes));
  }

  remove(name: string): Promise<void> {
    return this.#watch(this.#blobs.remove(name));
  }

  names() {
    return this.#blobs.names();
  }

  close(): Promise<void> {
    return this.#blobs.close();
  }

  async #watch<T>(work: Promise<T>): Promise<T> {
    try {
      const done = await work;
      this.#note(undefined);
      return done;
    } catch (error) {
      const isItsOwn = error instanceof StoreUnusableError || error instanceof StoreFullError;
      if (isItsOwn) this.#note(error);
      throw error;
    }
  }

  #note(failure: Error | undefined): void {
    const isFailing = failure !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    this.#tell(failure);
  }
}
