/** Writes log lines to stderr in the background and in bounded memory, so that a slow reader delays no job. */
import type pino from "pino";

/** Maximum bytes that wait for a slow reader. Further lines are dropped and counted. */
const MAX_WAITING_BYTES = 16_000_000;
const STDERR = 2;
/** Timeout at the end for a reader that has stopped reading. */
const CLOSE_TIMEOUT_MS = 3_000;

type Stream = ReturnType<typeof pino.destination>;

/** Lines can be written before the stream is open. They are written when it opens. */
export class StderrSink {
  readonly #droppedLine: (count: number) => string;
  readonly #early: string[] = [];
  readonly #end = Promise.withResolvers<boolean>();
  #opening: Promise<void> | undefined;
  #stream: Stream | undefined;
  #dropped = 0;
  #isClosing = false;

  /** @param droppedLine makes the line about dropped lines */
  constructor(droppedLine: (count: number) => string) {
    this.#droppedLine = droppedLine;
  }

  /** Takes a line with its line break. */
  write(line: string): void {
    if (this.#isClosing) return;
    if (this.#stream !== undefined) {
      this.#stream.write(line);
      return;
    }
    this.#early.push(line);
    // Loaded at the first line, when the first worker is already starting, so that it delays nothing.
    this.#opening ??= this.#open();
  }

  /** Resolves with true when all is written, with false if it is not read. Later lines are ignored. */
  async close(): Promise<boolean> {
    await this.#opening;
    this.#isClosing = true;
    if (this.#stream === undefined) return true;
    this.#stream.end();
    const timer = setTimeout(() => this.#end.resolve(false), CLOSE_TIMEOUT_MS);
    const isWritten = await this.#end.promise;
    clearTimeout(timer);
    return isWritten;
  }

  async #open(): Promise<void> {
    const { default: pino } = await import("pino");
    const stream = pino.destination({ dest: STDERR, sync: false, maxLength: MAX_WAITING_BYTES });
    stream.on("drop", () => this.#dropped++);
    stream.on("drain", () => this.#sayDropped(stream));
    // Without a reader the log ends, not the service.
    stream.on("error", () => this.#end.resolve(true));
    stream.on("close", () => this.#end.resolve(true));
    for (const line of this.#early.splice(0)) stream.write(line);
    this.#stream = stream;
  }

  #sayDropped(stream: Stream): void {
    if (this.#dropped === 0) return;
    const line = this.#droppedLine(this.#dropped);
    this.#dropped = 0;
    stream.write(line);
  }
}
