/** Messages on a byte stream, each after its length in four bytes. */

const PREFIX_BYTES = 4;

export function frame(message: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  bytes.writeUInt32BE(message.length);
  message.copy(bytes, PREFIX_BYTES);
  return bytes;
}

/** Puts together what arrives in parts. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The messages that are whole now. */
  add(bytes: Buffer): readonly Buffer[] {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const messages: Buffer[] = [];
    let at = 0;
    while (all.length - at >= PREFIX_BYTES) {
      const end = at + PREFIX_BYTES + all.readUInt32BE(at);
      if (end > all.length) break;
      messages.push(all.subarray(at + PREFIX_BYTES, end));
      at = end;
    }
    this.#rest = all.subarray(at);
    return messages;
  }
}
