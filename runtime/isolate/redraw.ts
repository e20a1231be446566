/** Recognizes rows that a program prints again: bars of several lines move the cursor up with an escape sequence. */
import type { HandlerLine } from "../pipe/tagged-lines.ts";

/** Moves of the cursor, by a number of rows. */
// oxlint-disable-next-line no-control-regex -- an escape sequence begins with a control character
const CURSOR_UP = /\u001B\[(?<rows>\d*)[AF]/gu;

export interface RedrawnLine extends HandlerLine {
  /** Counts the rows of a redrawn block from 1. Absent for other lines. */
  readonly row?: number;
}

export class Redraw {
  #rows = 0;
  #left = 0;
  #jobId: string | undefined;

  read(line: HandlerLine): RedrawnLine {
    const { jobId } = line;
    let up = 0;
    const text = line.text.replaceAll(CURSOR_UP, (_, rows: string) => {
      up += Number(rows || 1);
      return "";
    });
    if (up > 0) [this.#rows, this.#left, this.#jobId] = [up, up, jobId];
    if (this.#left === 0 || jobId !== this.#jobId) return line;
    this.#left--;
    return { ...line, text, isState: true, row: this.#rows - this.#left };
  }
}
