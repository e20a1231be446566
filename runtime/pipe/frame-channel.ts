/** One end of the framed pipe: sends all frames of one turn of the event loop in one write. */
import { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import { BrokenFrameError, encodeFrameStart, FrameDecoder, type Frame } from "./frames.ts";

/** Maximum bytes of frames that are copied together. For more bytes, a list for the kernel is cheaper. */
const COPY_BYTES = 65_536;

const nothing = new Uint8Array(0);

export interface FrameEvents {
  frame(frame: Frame): void;
  /** The other side is gone, or sent an invalid frame. Called once. */
  ended(error: Error | undefined): void;
}

/** Frames leave in the order in which they were sent. */
export class FrameChannel {
  readonly #stream: Duplex;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #gatherers: (() => void)[] = [];
  #scheduled = false;
  #ended = false;

  constructor(stream: Duplex, events: FrameEvents) {
    this.#stream = stream;
    const decoder = new FrameDecoder();
    const end = (error?: Error): void => {
      if (this.#ended) return;
      this.#ended = true;
      this.#queue = [];
      events.ended(error);
    };
    stream.on("data", (piece: Buffer) => {
      try {
        decoder.push(piece, (frame) => events.frame(frame));
      } catch (error) {
        if (!(error instanceof BrokenFrameError)) throw error;
        stream.destroy();
        end(error);
      }
    });
    stream.on("end", () => end());
    stream.on("error", (error) => end(error));
    stream.on("close", () => end());
  }

  send(kind: number, slot: number, head: object | undefined, payload: Uint8Array = nothing): void {
    if (this.#ended) return;
    const headText = head === undefined ? "" : JSON.stringify(head);
    const start = encodeFrameStart(kind, slot, headText, payload.byteLength);
    this.#queue.push(start);
    this.#queuedBytes += start.length + payload.byteLength;
    if (payload.byteLength > 0) this.#queue.push(payload);
    if (this.#queuedBytes > COPY_BYTES) this.#write();
    else this.#schedule();
  }

  /** Calls back once, before the frames of this turn leave: the moment to send collected data. */
  beforeFlush(gatherer: () => void): void {
    this.#gatherers.push(gatherer);
    this.#schedule();
  }

  /** Passes everything sent so far to the operating system, as far as it accepts it. */
  flush(): void {
    this.#scheduled = false;
    for (const gatherer of this.#gatherers.splice(0)) gatherer();
    this.#write();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.flush());
  }

  #write(): void {
    const queue = this.#queue;
    if (queue.length === 0 || this.#ended) return;
    this.#queue = [];
    if (this.#queuedBytes <= COPY_BYTES) {
      this.#stream.write(Buffer.concat(queue, this.#queuedBytes));
    } else {
      this.#stream.cork();
      for (const part of queue) this.#stream.write(part);
      this.#stream.uncork();
    }
    this.#queuedBytes = 0;
  }

  /** Calls back when everything sent so far has left this process. */
  flushed(then: () => void): void {
    this.flush();
    this.#stream.write(nothing, () => then());
  }
}
