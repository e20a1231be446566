/** Lets concurrent readers of a large row share its memory. */
import { freeAlone } from "../../../core/jobs/free-memory.ts";

export class SharedBytes {
  readonly #known = new Map<string, WeakRef<ArrayBuffer>>();
  readonly #collected = new FinalizationRegistry<string>((key) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });

  /**
   * Returns the bytes that readers already have under `key`. If there are none, returns `bytes` and shares it with later readers.
   * Nothing else may refer to `bytes`.
   */
  of(key: string, bytes: Uint8Array): Uint8Array {
    const { buffer } = bytes;
    if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== bytes.byteLength) return bytes;
    const known = this.#known.get(key)?.deref();
    if (known?.byteLength === buffer.byteLength) {
      freeAlone(bytes);
      return new Uint8Array(known);
    }
    this.#known.set(key, new WeakRef(buffer));
    this.#collected.register(buffer, key);
    return bytes;
  }
}
