/** Where log lines go: to stderr, off the event loop and in bounded memory, so that a slow reader holds up no job. */
import type pino from "pino";

/** Lines that wait for a slow reader; what comes on top is dropped and counted. */
const MAX_WAITING_BYTES = 16_000_000;
const STDERR = 2;
/** How long the end waits for a reader that takes nothing any more. */
const CLOSE_TIMEOUT_MS = 3_000;

type Stream = ReturnType<typeof pino.destination>;

/** Lines can be written at once; they are on their way when the stream is open. */
export class StderrSink {
  readonly #droppedLine: (count: number) => string;
  readonly #early: string[] = [];
  readonly #end = Promise.withResolvers<boolean>();
  #opening: Promise<void> | undefined;
  #stream: Stream | undefined;
  #dropped = 0;
  #isClosing = false;

  /** `droppedLine` makes the line that says how many were dropped. */
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
    // Loaded at the first line, which comes when the first worker is already starting: so it delays nothing.
    this.#opening ??= this.#open();
  }

  /** Resolves with true when all is written, with false when nobody reads. What comes later is not taken. */
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
    // A reader that is gone ends the log, not the service.
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
