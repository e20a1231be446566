/** Messages on a byte stream, each after its length in four bytes. */

const PREFIX_BYTES = 4;

export function frame(message: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  bytes.writeUInt32BE(message.length);
  message.copy(bytes, PREFIX_BYTES);
  return bytes;
}

/** Joins pieces of messages. */
export class FrameReader {
  #parts: Buffer[] = [];
  /** Bytes of the next message or its prefix, until it is complete. */
  #missingBytes = PREFIX_BYTES;

  /** The complete messages. */
  add(bytes: Buffer): readonly Buffer[] {
    this.#parts.push(bytes);
    this.#missingBytes -= bytes.length;
    if (this.#missingBytes > 0) return [];
    const all = this.#parts.length === 1 ? bytes : Buffer.concat(this.#parts);
    const messages: Buffer[] = [];
    let at = 0;
    while (all.length - at >= PREFIX_BYTES) {
      const end = at + PREFIX_BYTES + all.readUInt32BE(at);
      if (end > all.length) break;
      messages.push(all.subarray(at + PREFIX_BYTES, end));
      at = end;
    }
    const rest = all.subarray(at);
    const nextBytes = rest.length < PREFIX_BYTES ? 0 : rest.readUInt32BE();
    this.#missingBytes = PREFIX_BYTES + nextBytes - rest.length;
    this.#parts = rest.length === 0 ? [] : [rest];
    return messages;
  }
}
