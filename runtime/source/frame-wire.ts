/** Frames on a unix socket: the wire between a worker and the service of its machine. */
import { connect } from "node:net";
import type { Buffer } from "node:buffer";
import { FRAMES_PREFACE, FrameStream } from "../pipe/frame-stream.ts";
import type { SessionEnd } from "./session.ts";
import type { Opener, OpenWire, Wire, WireEvents } from "./wire-session.ts";

/** @param path of the service's socket */
export function overFrames(path: string, opener: Opener): OpenWire {
  return (events) => new FrameWire(path, opener, events);
}

class FrameWire implements Wire {
  readonly #stream: FrameStream;
  #end: SessionEnd | undefined;

  constructor(path: string, opener: Opener, events: WireEvents) {
    const socket = connect(path);
    socket.write(FRAMES_PREFACE);
    this.#stream = new FrameStream(socket);
    this.#stream.notify(opener);
    this.#stream.on("notice", (end: SessionEnd) => {
      this.#end = { refused: end.refused, reason: end.reason };
    });
    this.#stream.on("data", (bytes: Buffer) => events.message(bytes));
    // A reason that the service gave stays: errors of the connection follow from that end.
    this.#stream.on("error", ({ message: reason }) => {
      this.#end ??= { refused: false, reason };
    });
    this.#stream.on("end", () => this.end());
    const closed = { refused: false, reason: "the connection was closed" };
    this.#stream.on("close", () => events.ended(this.#end ?? closed));
  }

  write(message: readonly Buffer[], written?: () => void): void {
    this.#stream.write(message, () => written?.());
  }

  end(): void {
    this.#stream.end();
  }

  cancel(reason?: string): void {
    this.#stream.destroy(reason === undefined ? undefined : new Error(reason));
  }
}
