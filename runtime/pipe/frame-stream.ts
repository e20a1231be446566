/**
 * Messages over a socket, each behind its length: what a worker of this machine and its service speak. A frame with the first bit of
 * its length set is a notice: a JSON text about the connection itself.
 */
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { MESSAGE_MAX_BYTES } from "../protocol/wire/pieces.ts";
import { WireError } from "../protocol/wire/wire-error.ts";

/** Begins a connection, so that a service can tell it from one of HTTP/2. */
export const FRAMES_PREFACE = Buffer.from("SVF1");

/** Maximum bytes of a message: like in gRPC. */
const FRAME_MAX_BYTES = MESSAGE_MAX_BYTES;

/** Maximum bytes of a notice. */
const NOTICE_MAX_BYTES = 8_192;

const HEAD_BYTES = 4;
const NOTICE_BIT = 0x8000_0000;

/** Maximum bytes of a message that is copied behind its head: writing both costs more than copying less. */
const COPIED_MAX_BYTES = 16_384;

interface Head {
  readonly isNotice: boolean;
  readonly sizeBytes: number;
}

/** A frame that is arriving, in memory of its own once it is wanted. */
interface Frame extends Head {
  bytes?: Buffer;
  filled: number;
}

type Written = (error?: Error | null) => void;

/** A message: its bytes, or all of its parts. */
type Message = Buffer | readonly Buffer[];

/**
 * Reads whole messages as Buffers, and writes them. Emits `notice` with each notice of the other end, and is destroyed with a WireError by
 * what is no frame.
 */
export class FrameStream extends Duplex {
  readonly #socket: Socket;
  /** Bytes that came and are not read yet: at most what the socket reads at once. */
  #rest: Buffer = Buffer.alloc(0);
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headFilled = 0;
  #frame: Frame | undefined;
  #isWanted = false;
  /** The other end sends nothing more. */
  #hasEnded = false;

  /** @param first bytes that were read from the socket already */
  constructor(socket: Socket, first = Buffer.alloc(0)) {
    super({ objectMode: true });
    this.#socket = socket;
    if (first.byteLength > 0) {
      this.#rest = first;
      process.nextTick(() => this.#advance());
    }
    socket.on("data", (data: Buffer) => {
      this.#rest = this.#rest.byteLength === 0 ? data : Buffer.concat([this.#rest, data]);
      this.#advance();
    });
    socket.on("end", () => {
      this.#hasEnded = true;
      this.#advance();
    });
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
  }

  /** Sends a notice ahead of what is written later. */
  notify(notice: object): void {
    const text = Buffer.from(JSON.stringify(notice));
    this.#socket.write(Buffer.concat([headOf({ isNotice: true, sizeBytes: text.length }), text]));
  }

  override _read(): void {
    this.#isWanted = true;
    this.#advance();
  }

  override _write(message: Message, _: string, written: Written): void {
    this.#send(message, written);
  }

  override _writev(chunks: readonly { readonly chunk: Message }[], written: Written): void {
    this.#socket.cork();
    for (const [at, { chunk }] of chunks.entries())
      this.#send(chunk, at === chunks.length - 1 ? written : undefined);
    this.#socket.uncork();
  }

  override _final(done: Written): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: Written): void {
    this.#socket.destroy();
    done(error);
  }

  #send(message: Message, written: Written | undefined): void {
    const parts = Buffer.isBuffer(message) ? [message] : message;
    const sizeBytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const head = headOf({ isNotice: false, sizeBytes });
    if (sizeBytes <= COPIED_MAX_BYTES) {
      this.#socket.write(Buffer.concat([head, ...parts]), written);
      return;
    }
    this.#socket.cork();
    this.#socket.write(head);
    for (const [at, part] of parts.entries())
      this.#socket.write(part, at === parts.length - 1 ? written : undefined);
    this.#socket.uncork();
  }

  /** Passes on the frames that are whole. Nothing of a message is read before it is wanted. */
  #advance(): void {
    while (!this.destroyed) {
      this.#frame ??= this.#nextFrame();
      const frame = this.#frame;
      if (frame === undefined) break;
      if (!frame.isNotice && !this.#isWanted) {
        this.#socket.pause();
        return;
      }
      const bytes = (frame.bytes ??= Buffer.allocUnsafeSlow(frame.sizeBytes));
      frame.filled += this.#take(bytes, frame.filled);
      if (frame.filled < frame.sizeBytes) break;
      this.#frame = undefined;
      if (frame.isNotice) this.#notice(bytes);
      else this.#isWanted = this.push(bytes);
    }
    if (this.destroyed) return;
    if (this.#hasEnded) this.push(null);
    else this.#socket.resume();
  }

  /** The next frame once its head is whole. */
  #nextFrame(): Frame | undefined {
    this.#headFilled += this.#take(this.#head, this.#headFilled);
    if (this.#headFilled < HEAD_BYTES) return undefined;
    this.#headFilled = 0;
    const head = this.#head.readUInt32BE(0);
    const isNotice = head >= NOTICE_BIT;
    const sizeBytes = isNotice ? head - NOTICE_BIT : head;
    if (sizeBytes <= (isNotice ? NOTICE_MAX_BYTES : FRAME_MAX_BYTES))
      return { isNotice, sizeBytes, filled: 0 };
    this.destroy(new WireError("frame", `would have ${sizeBytes} bytes`));
    return undefined;
  }

  /** Moves what came into `bytes`. Returns the number of bytes moved. */
  #take(bytes: Buffer, from: number): number {
    const moved = this.#rest.copy(bytes, from);
    this.#rest = this.#rest.subarray(moved);
    return moved;
  }

  #notice(bytes: Buffer): void {
    try {
      this.emit("notice", JSON.parse(bytes.toString()));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.destroy(new WireError("notice", "is no JSON"));
    }
  }
}

function headOf({ isNotice, sizeBytes }: Head): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32BE(isNotice ? sizeBytes + NOTICE_BIT : sizeBytes, 0);
  return head;
}
