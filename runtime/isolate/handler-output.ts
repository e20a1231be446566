/** Reads a handler process's output line by line. Passes it on within limits, and keeps the last lines for failure reports. */
import type { Readable } from "node:stream";
import { parseLine, type HandlerLine } from "../pipe/tagged-lines.ts";
import { LIMITS } from "../protocol/limits.ts";
import { BarLines } from "./bar-lines.ts";
import { LineReader } from "./line-reader.ts";
import { Redraw, type RedrawnLine } from "./redraw.ts";
import type { SecretMask } from "./secret-mask.ts";

/** Maximum lines passed on per second, so that a handler cannot fill the disk. */
const LINES_PER_SECOND = 1_000;
const SECOND_MS = 1_000;

export type OutputStream = "stdout" | "stderr";

export interface OutputLine extends Omit<HandlerLine, "isState"> {
  readonly stream: OutputStream;
}

interface KeptLine {
  readonly line: HandlerLine;
  /** The bar, if the line is a state of one. */
  readonly bar?: string;
}

/** Reads the output continuously, so that printing never blocks a job. */
export class HandlerOutput {
  readonly #pass: (line: OutputLine) => void;
  readonly #bars: BarLines<OutputLine>;
  readonly #mask: SecretMask | undefined;
  readonly #last: KeptLine[] = [];
  #windowEndsAt = 0;
  #passed = 0;
  #dropped = 0;
  #droppedFrom: OutputStream = "stdout";
  #timer: NodeJS.Timeout | undefined;
  #heapLimitLine: HandlerLine | undefined;

  constructor(pass: (line: OutputLine) => void, mask?: SecretMask) {
    this.#pass = pass;
    this.#bars = new BarLines((line) => {
      if (this.#mayPass(line.stream)) pass(line);
    });
    this.#mask = mask;
  }

  read(source: Readable, stream: OutputStream): void {
    const redraw = new Redraw();
    const reader = new LineReader(
      LIMITS.logLineMaxBytes,
      (text) => this.#take(redraw.read(parseLine(text)), stream),
      (text) => this.#take({ text, isState: true }, stream),
    );
    source.on("data", (piece: Buffer) => reader.push(piece));
    source.on("end", () => {
      reader.end();
      this.#bars.end();
      this.#tellDropped();
    });
    // A broken pipe sends nothing more. The process's exit is reported elsewhere.
    source.on("error", () => {});
  }

  /**
   * The last lines, oldest first: lines of the job, and lines without a known job. V8's line about a lack of memory is always
   * kept, although V8 prints a long native stack after it.
   */
  lastLines(jobId: string | undefined): string[] {
    const telling = this.#heapLimitLine;
    const last = this.#last.map(({ line }) => line);
    const pushedOut = telling !== undefined && !last.includes(telling);
    return (pushedOut ? [telling, ...last.slice(1)] : last)
      .filter((line) => line.jobId === undefined || line.jobId === jobId)
      .map((line) => line.text);
  }

  /** Whether V8 reported a lack of memory, which it does before it aborts the process. */
  get sawHeapLimit(): boolean {
    return this.#heapLimitLine !== undefined;
  }

  #take({ row = 0, isState = false, ...said }: RedrawnLine, stream: OutputStream): void {
    const line = this.#mask?.line(said) ?? said;
    const { jobId = "", text } = line;
    const bar = `${stream} ${row} ${jobId}`;
    this.#keep({ line, ...(isState && { bar }) }, bar);
    if (stream === "stderr" && text.includes("JavaScript heap out of memory")) {
      this.#heapLimitLine = line;
    }
    if (isState) this.#bars.state(bar, { ...line, stream });
    else if (this.#bars.ended(bar, text) && this.#mayPass(stream)) this.#pass({ ...line, stream });
  }

  /** The line takes the place of the last state of its bar. */
  #keep(kept: KeptLine, bar: string): void {
    const before = this.#last.findIndex((each) => each.bar === bar);
    if (before !== -1) this.#last.splice(before, 1);
    this.#last.push(kept);
    if (this.#last.length > LIMITS.lastLogLines) this.#last.shift();
  }

  #mayPass(stream: OutputStream): boolean {
    const now = performance.now();
    if (now >= this.#windowEndsAt) {
      this.#tellDropped();
      this.#windowEndsAt = now + SECOND_MS;
      this.#passed = 0;
    }
    if (this.#passed < LINES_PER_SECOND) {
      this.#passed++;
      return true;
    }
    this.#dropped++;
    this.#droppedFrom = stream;
    this.#timer ??= setTimeout(() => this.#tellDropped(), this.#windowEndsAt - now).unref();
    return false;
  }

  /** Called at the end of a second, even if nothing more is printed, and at the end of a stream. */
  #tellDropped(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#dropped === 0) return;
    const text = `${this.#dropped} lines of output were dropped: ${LINES_PER_SECOND} a second are passed on`;
    this.#dropped = 0;
    this.#pass({ stream: this.#droppedFrom, level: "warn", text });
  }
}
