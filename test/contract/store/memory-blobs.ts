/** Large payloads outside a store, in memory. */
import type { Blobs } from "../../../emulator/store/blobs/blobs.ts";

export class MemoryBlobs implements Blobs {
  readonly held = new Map<string, { readonly bytes: Buffer; writtenAt: number }>();

  async put(name: string, parts: readonly Uint8Array[]): Promise<void> {
    this.held.set(name, { bytes: Buffer.concat(parts), writtenAt: Date.now() });
  }

  async read(name: string, offset: number, sizeBytes: number) {
    const found = this.held.get(name)?.bytes.subarray(offset, offset + sizeBytes);
    if (found === undefined) return undefined;
    return {
      async *slices() {
        for (let at = 0; at < found.length; at += 65_536) yield found.subarray(at, at + 65_536);
      },
      async [Symbol.asyncDispose]() {},
    };
  }

  async remove(name: string): Promise<void> {
    this.held.delete(name);
  }

  async *names() {
    for (const [name, { writtenAt }] of this.held) yield { name, writtenAt };
  }

  async close(): Promise<void> {}
}
