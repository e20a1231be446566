/**
 * Length-prefixed frames on the pipe between a supervisor and its handler process.
 *
 * A frame is `[u32 length][u8 kind][u32 slot][u32 head length][head: JSON text][payload: raw bytes]`, little endian; `length`
 * is the number of bytes after it. Payloads are JSON text, which this module passes on unchanged.
 */
import { Buffer } from "node:buffer";

export interface Frame {
  /** The kind of message; see frame-kinds.ts. */
  readonly kind: number;
  /** The invocation that the frame is about; 0 if it is about none. */
  readonly slot: number;
  /** JSON text; empty when the kind needs none. */
  readonly head: string;
  readonly payload: Uint8Array;
}

const LENGTH_BYTES = 4;
/** Bytes of kind, slot and head length. */
const FIXED_BYTES = 9;
const PREFIX_BYTES = LENGTH_BYTES + FIXED_BYTES;

/** Maximum length of a frame. A larger length means that the two sides no longer agree where frames begin. */
const FRAME_MAX_BYTES = 64_000_000;

/** The other side sent something that is not a frame. No later frame can be read. */
export class BrokenFrameError extends Error {
  override readonly name = "BrokenFrameError";
  readonly code = "broken_frame";
}

/** Everything of a frame that precedes its payload. */
export function encodeFrameStart(
  kind: number,
  slot: number,
  head: string,
  payloadBytes: number,
): Buffer {
  const headBytes = Buffer.byteLength(head);
  const start = Buffer.allocUnsafe(PREFIX_BYTES + headBytes);
  start.writeUInt32LE(FIXED_BYTES + headBytes + payloadBytes, 0);
  start.writeUInt8(kind, 4);
  start.writeUInt32LE(slot, 5);
  start.writeUInt32LE(headBytes, 9);
  start.write(head, PREFIX_BYTES);
  return start;
}

/**
 * Reads frames from bytes that arrive in pieces of any size. Each byte is copied at most once: a frame that lies in a single
 * piece shares the memory of that piece, and any other frame is copied into a buffer of the frame's size.
 */
export class FrameDecoder {
  readonly #prefix = Buffer.alloc(LENGTH_BYTES);
  #prefixBytes = 0;
  #body: Buffer | undefined;
  #bodyBytes = 0;

  /**
   * @param piece the next bytes
   * @param each called for each frame that is now complete, in order
   * @throws BrokenFrameError when the bytes are no frame
   */
  push(piece: Buffer, each: (frame: Frame) => void): void {
    let at = 0;
    while (at < piece.length) {
      if (this.#body !== undefined) {
        at += this.#fillBody(this.#body, piece, at, each);
        continue;
      }
      const whole = this.#prefixBytes === 0 && piece.length - at >= LENGTH_BYTES;
      if (!whole) {
        at += this.#fillPrefix(piece, at);
        continue;
      }
      const length = checkedLength(piece.readUInt32LE(at));
      at += LENGTH_BYTES;
      if (piece.length - at >= length) {
        each(parseBody(piece.subarray(at, at + length)));
        at += length;
      } else {
        this.#expect(length);
      }
    }
  }

  #expect(length: number): void {
    this.#body = Buffer.allocUnsafe(length);
    this.#bodyBytes = 0;
  }

  #fillPrefix(piece: Buffer, at: number): number {
    const copied = piece.copy(this.#prefix, this.#prefixBytes, at);
    this.#prefixBytes += copied;
    if (this.#prefixBytes === LENGTH_BYTES) {
      this.#prefixBytes = 0;
      this.#expect(checkedLength(this.#prefix.readUInt32LE(0)));
    }
    return copied;
  }

  #fillBody(body: Buffer, piece: Buffer, at: number, each: (frame: Frame) => void): number {
    const copied = piece.copy(body, this.#bodyBytes, at);
    this.#bodyBytes += copied;
    if (this.#bodyBytes === body.length) {
      this.#body = undefined;
      each(parseBody(body));
    }
    return copied;
  }
}

function checkedLength(length: number): number {
  if (length >= FIXED_BYTES && length <= FRAME_MAX_BYTES) return length;
  throw new BrokenFrameError(`A frame of ${length} bytes was announced on the handler's pipe.`);
}

function parseBody(body: Buffer): Frame {
  const headBytes = body.readUInt32LE(5);
  const payloadAt = FIXED_BYTES + headBytes;
  if (payloadAt > body.length) {
    throw new BrokenFrameError(`A frame's head of ${headBytes} bytes is longer than the frame.`);
  }
  return {
    kind: body.readUInt8(0),
    slot: body.readUInt32LE(1),
    head: headBytes === 0 ? "" : body.toString("utf8", FIXED_BYTES, payloadAt),
    payload: body.subarray(payloadAt),
  };
}
