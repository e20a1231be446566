/**
 * Messages over a socket, each behind its length: what a worker of this machine and its service speak. A frame with the first bit of
 * its length set is a notice: a JSON text about the connection itself.
 */
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { WireError } from "../protocol/wire/wire-error.ts";

/** Begins a connection, so that a service can tell it from one of HTTP/2. */
export const FRAMES_PREFACE = Buffer.from("SVF1");

/** Maximum bytes of a frame: a message whose payloads are not worth pieces, or one piece. */
const FRAME_MAX_BYTES = 4_194_304;

/** Maximum bytes of a notice. */
const NOTICE_MAX_BYTES = 8_192;

const HEAD_BYTES = 4;
const NOTICE_BIT = 0x8000_0000;

/** Maximum bytes of a message that is copied behind its head: writing both costs more than copying less. */
const COPIED_MAX_BYTES = 16_384;

interface Frame {
  readonly isNotice: boolean;
  readonly sizeBytes: number;
}

type Written = (error?: Error | null) => void;

/**
 * Reads and writes whole messages as Buffers. Emits `notice` with each notice of the other end, and is destroyed with a WireError by
 * what is no frame.
 */
export class FrameStream extends Duplex {
  readonly #socket: Socket;
  /** Bytes that came and are not read yet. */
  #came: Buffer[] = [];
  #cameBytes = 0;
  /** The frame that is arriving. */
  #frame: Frame | undefined;
  #isWanted = false;

  /** @param first bytes that were read from the socket already */
  constructor(socket: Socket, first = Buffer.alloc(0)) {
    super({ objectMode: true });
    this.#socket = socket;
    if (first.byteLength > 0) {
      this.#add(first);
      process.nextTick(() => this.#advance());
    }
    socket.on("data", (data: Buffer) => {
      this.#add(data);
      this.#advance();
    });
    socket.on("end", () => this.push(null));
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

  override _write(message: Buffer, _: string, written: Written): void {
    this.#send(message, written);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], written: Written): void {
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

  #send(message: Buffer, written: Written | undefined): void {
    const head = headOf({ isNotice: false, sizeBytes: message.byteLength });
    if (message.byteLength <= COPIED_MAX_BYTES) {
      this.#socket.write(Buffer.concat([head, message]), written);
      return;
    }
    this.#socket.cork();
    this.#socket.write(head);
    this.#socket.write(message, written);
    this.#socket.uncork();
  }

  #add(data: Buffer): void {
    this.#came.push(data);
    this.#cameBytes += data.byteLength;
  }

  /** Passes on the frames that are whole: messages only while they are wanted, before which no more is read. */
  #advance(): void {
    while (!this.destroyed) {
      this.#frame ??= this.#nextFrame();
      if (this.#frame === undefined || this.#cameBytes < this.#frame.sizeBytes) {
        this.#socket.resume();
        return;
      }
      const { isNotice, sizeBytes } = this.#frame;
      if (!isNotice && !this.#isWanted) break;
      this.#frame = undefined;
      const bytes = this.#take(sizeBytes);
      if (isNotice) this.#notice(bytes);
      else this.#isWanted = this.push(bytes);
    }
    this.#socket.pause();
  }

  #nextFrame(): Frame | undefined {
    if (this.#cameBytes < HEAD_BYTES) return undefined;
    const head = this.#take(HEAD_BYTES).readUInt32BE(0);
    const isNotice = head >= NOTICE_BIT;
    const sizeBytes = isNotice ? head - NOTICE_BIT : head;
    if (sizeBytes <= (isNotice ? NOTICE_MAX_BYTES : FRAME_MAX_BYTES))
      return { isNotice, sizeBytes };
    this.destroy(new WireError("frame", `would have ${sizeBytes} bytes`));
    return undefined;
  }

  /** The next bytes, in memory of their own. */
  #take(sizeBytes: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(sizeBytes);
    let at = 0;
    while (at < sizeBytes) {
      const [first] = this.#came;
      if (first === undefined) break;
      const part = first.subarray(0, sizeBytes - at);
      bytes.set(part, at);
      at += part.byteLength;
      if (part.byteLength === first.byteLength) this.#came.shift();
      else this.#came[0] = first.subarray(part.byteLength);
    }
    this.#cameBytes -= sizeBytes;
    return bytes;
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

function headOf({ isNotice, sizeBytes }: Frame): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32BE(isNotice ? sizeBytes + NOTICE_BIT : sizeBytes, 0);
  return head;
}
