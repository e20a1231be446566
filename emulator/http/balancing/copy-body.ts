/** Copies a body no faster than it is taken, counting its bytes. */
import type { Readable, Writable } from "node:stream";

export interface CopyEvents {
  /** More than the limit has come; nothing more is copied. */
  tooLarge(): void;
  /** Everything has come and was written; `to` is still to be ended. */
  whole(): void;
}

/**
 * Data that comes after `to` was closed is discarded, up to the same limit: the writer may be about to read the answer.
 */
export function copyBody(from: Readable, to: Writable, maxBytes: number, events: CopyEvents): void {
  let bytes = 0;
  const resume = () => from.resume();
  from.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      from.removeAllListeners("data").pause();
      events.tooLarge();
      return;
    }
    if (to.writable && !to.write(chunk)) from.pause();
  });
  from.once("end", () => events.whole());
  to.on("drain", resume).once("close", resume);
}
