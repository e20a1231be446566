/** Shows the progress of the benchmark on stderr: one line that is rewritten in a terminal, a line per step elsewhere. */

const BAR_CELLS = 24;

export class Progress {
  readonly #stream: NodeJS.WriteStream;
  #row = "";

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  /** A new row begins. */
  begin(row: string): void {
    this.#row = row;
    this.say("starting");
  }

  /** Shows that `done` of `total` rounds are over. */
  round(done: number, total: number): void {
    const filled = Math.round((done / total) * BAR_CELLS);
    const bar = this.#stream.isTTY
      ? `[${"█".repeat(filled)}${"·".repeat(BAR_CELLS - filled)}] `
      : "";
    this.say(`${bar}${done} of ${total}`);
  }

  say(text: string): void {
    const line = `${this.#row}: ${text}`;
    if (!this.#stream.isTTY) this.#stream.write(`${line}\n`);
    else this.#stream.write(`\r\u001B[2K${line.slice(0, this.#stream.columns - 1)}`);
  }

  /** Ends the line, before other output. */
  end(): void {
    if (this.#stream.isTTY) this.#stream.write("\r\u001B[2K");
  }
}
