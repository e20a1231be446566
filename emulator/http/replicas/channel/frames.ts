/** Frames between two replicas: a head of nine bytes (length, kind, number of the exchange), then the payload. Pure. */
import { Buffer } from "node:buffer";

export const FRAME = {
  /** Opens an exchange; payload: the head of a request. */
  open: 1,
  /** A piece of the request's body, or of the answer in HTTP form. */
  data: 2,
  /** End of this direction. */
  end: 3,
  /** The sender gives up the exchange. */
  reset: 4,
  /** The number of bytes that the sender has read. It accepts the same number again. */
  room: 5,
  /** The sender is stopping and wants an early answer. */
  wake: 6,
  /** The sender is alive; belongs to no exchange. */
  beat: 7,
} as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

export interface Frame {
  readonly kind: number;
  readonly id: number;
  readonly payload: Buffer;
}

const HEAD_BYTES = 9;

/** Maximum size of a payload; the largest one is the head of a request. */
const MAX_PAYLOAD_BYTES = 1_000_000;

export function frameHead(kind: FrameKind, id: number, payloadBytes: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32BE(payloadBytes, 0);
  head.writeUInt8(kind, 4);
  head.writeUInt32BE(id, 5);
  return head;
}

export class FrameReader {
  #rest: Buffer | undefined;

  /** @throws RangeError for a frame that is too large */
  push(chunk: Buffer): readonly Frame[] {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Frame[] = [];
    let at = 0;
    while (bytes.length - at >= HEAD_BYTES) {
      const size = bytes.readUInt32BE(at);
      if (size > MAX_PAYLOAD_BYTES) throw new RangeError(`a frame has ${size} bytes`);
      const end = at + HEAD_BYTES + size;
      if (end > bytes.length) break;
      const payload = bytes.subarray(at + HEAD_BYTES, end);
      frames.push({ kind: bytes.readUInt8(at + 4), id: bytes.readUInt32BE(at + 5), payload });
      at = end;
    }
    this.#rest = at === bytes.length ? undefined : bytes.subarray(at);
    return frames;
  }
}
