/** Marks a handler's output with its job, and bounds the memory of a handler that prints without end. */
import type { WriteStream } from "node:tty";
import { barState, shownText } from "../pipe/bar-text.ts";
import { printedLine, stateLine } from "../pipe/tagged-lines.ts";
import { LIMITS } from "../protocol/limits.ts";
import { currentInvocation } from "./job/attribution.ts";

/** Maximum bytes of printed text that wait for the supervisor; further text is dropped. */
const BACKLOG_BYTES = 1_000_000;

type Write = (text: string | Uint8Array) => boolean;

/** One of the process's two output streams with its marks. */
class MarkedStream {
  readonly #stream: WriteStream;
  readonly #write: Write;
  /** The text that each job printed since its last line break. */
  readonly #partial = new Map<string, string>();
  #dropped = 0;

  constructor(stream: WriteStream) {
    this.#stream = stream;
    this.#write = stream.write.bind(stream);
    stream.write = this.#intercept;
    // Errors are ignored: if the supervisor, which reads the stream, is gone, the end of the frame pipe ends this process.
    stream.on("error", () => undefined);
  }

  readonly #intercept: WriteStream["write"] = (
    chunk: Uint8Array | string,
    encodingOrDone?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ): boolean => {
    const encoding = typeof encodingOrDone === "string" ? encodingOrDone : "utf8";
    const text =
      typeof chunk === "string" ? recode(chunk, encoding) : Buffer.from(chunk).toString();
    this.print(currentInvocation.getStore()?.jobId, text);
    const callback = typeof encodingOrDone === "function" ? encodingOrDone : done;
    if (callback !== undefined) process.nextTick(callback);
    return true;
  };

  print(jobId: string | undefined, text: string): void {
    if (jobId === undefined) return this.write(text);
    const lastBreak = text.lastIndexOf("\n");
    const open = this.#partial.get(jobId) ?? "";
    if (lastBreak === -1) return this.#keep(jobId, open + text);
    const lines = (open + text.slice(0, lastBreak)).split("\n");
    this.write(lines.map((line) => printedLine(jobId, shownText(line))).join(""));
    this.#keep(jobId, text.slice(lastBreak + 1));
  }

  /** Writes the text unchanged, or drops it if the supervisor reads too slowly. */
  write(text: string): void {
    if (this.#stream.writableLength > BACKLOG_BYTES) {
      this.#dropped += text.length;
      return;
    }
    if (this.#dropped > 0) {
      this.#write(`[${this.#dropped} characters of output were dropped]\n`);
      this.#dropped = 0;
    }
    this.#write(text);
  }

  /** Call it when the job is over. Remaining text without a line break counts as a line. */
  end(jobId: string): void {
    if (this.#partial.has(jobId)) this.print(jobId, "\n");
    this.#partial.delete(jobId);
  }

  #keep(jobId: string, rest: string): void {
    const state = barState(rest);
    if (state !== undefined) {
      // However many states come, only the newest is kept.
      const isReturned = rest.endsWith("\r");
      this.write(stateLine(jobId, state));
      this.#partial.set(jobId, `\r${state}${isReturned ? "\r" : ""}`);
    } else if (rest === "") this.#partial.delete(jobId);
    else if (rest.length <= LIMITS.logLineMaxBytes) this.#partial.set(jobId, rest);
    else {
      this.write(printedLine(jobId, rest));
      this.#partial.delete(jobId);
    }
  }
}

function recode(text: string, encoding: BufferEncoding): string {
  return encoding === "utf8" || encoding === "utf-8"
    ? text
    : Buffer.from(text, encoding).toString();
}

/** Both streams are replaced on first use only, because opening them takes time that a quiet handler need not spend. */
export class Printing {
  readonly #made: MarkedStream[] = [];
  readonly #stderr: () => MarkedStream;

  constructor() {
    this.#mark("stdout");
    this.#stderr = this.#mark("stderr");
  }

  /** Writes a line that already has its mark. */
  line(marked: string): void {
    this.#stderr().write(marked);
  }

  end(jobId: string): void {
    for (const stream of this.#made) stream.end(jobId);
  }

  #mark(name: "stdout" | "stderr"): () => MarkedStream {
    const original = Object.getOwnPropertyDescriptor(process, name);
    let marked: MarkedStream | undefined;
    let stream: WriteStream | undefined;
    const open = (): { marked: MarkedStream; stream: WriteStream } => {
      // The property is Node's own getter of this stream.
      stream ??= original?.get?.call(process) as WriteStream;
      if (marked === undefined) {
        marked = new MarkedStream(stream);
        this.#made.push(marked);
      }
      return { marked, stream };
    };
    Object.defineProperty(process, name, { configurable: true, get: () => open().stream });
    return () => open().marked;
  }
}
