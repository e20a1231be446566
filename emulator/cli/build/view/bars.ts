/** The progress of a build at a terminal: a bar for the current stage, and a line for each finished one. */
import cliProgress, { type Options, type Params, type SingleBar } from "cli-progress";
import type { BuildReport, BuildStage, StageFacts } from "../../../image/build-images.ts";
import type { BuildProgress } from "../../../image/engine/build-progress.ts";
import { type Paint, painter } from "../../terminal-text.ts";
import { seconds, shortened, size } from "./quantities.ts";
import { endSentence, summary, TRANSFERS } from "./stage-labels.ts";

const BAR_CELLS = 24;
const LABEL_CELLS = 5;
const INSTRUCTION_CHARACTERS = 40;
const LEAST_COLUMNS = 20;

interface Shown {
  readonly stage: BuildStage;
  /** For example `step 2 of 9`. */
  readonly count: string;
  readonly what: string;
}

export class Bars implements BuildReport {
  readonly #stream: NodeJS.WriteStream;
  readonly #paint: Paint;
  readonly #images: StageFacts[] = [];
  #stage: BuildStage = "base";
  #instruction = "";
  #bar: SingleBar | undefined;

  constructor(stream: NodeJS.WriteStream, colors: boolean) {
    this.#stream = stream;
    this.#paint = painter(colors);
  }

  begins(stage: BuildStage): void {
    this.#stage = stage;
    this.#instruction = "";
    this.#bar = new cliProgress.SingleBar({
      stream: this.#stream,
      format: (options: Options, params: Params, shown: Shown) =>
        this.#line(options, params, shown),
      barsize: BAR_CELLS,
      barCompleteChar: "━",
      barIncompleteChar: "─",
      emptyOnZero: true,
      clearOnComplete: true,
      hideCursor: true,
      // The command itself handles signals, and closes the view.
      gracefulExit: false,
    });
    this.#bar.start(0, 0, this.#shown("", ""));
  }

  progress(progress: BuildProgress): void {
    switch (progress.kind) {
      case "step": {
        const { at, of, what } = progress;
        this.#instruction = what;
        // The current step is not done yet.
        return this.#show(at - 1, of, this.#shown(`step ${at} of ${of}`, what));
      }
      case "output":
        return this.#show(undefined, undefined, { what: this.#withOutput(progress.line) });
      case "bytes": {
        const { what, doneBytes, totalBytes } = progress;
        const count = `${size(doneBytes)} of ${size(totalBytes)}`;
        return this.#show(doneBytes, totalBytes, this.#shown(count, TRANSFERS[what]));
      }
      case "note":
        return this.#show(undefined, undefined, { what: progress.line });
    }
  }

  ends(stage: BuildStage, facts: StageFacts): void {
    this.#clear();
    if (stage !== "push") this.#images.push(facts);
    this.#stream.write(`${this.#paint("green", "✓")} ${endSentence(stage, facts)}\n`);
  }

  close(): void {
    this.#clear();
  }

  sumUp(): void {
    this.#stream.write(`\n${summary(this.#images)}\n`);
  }

  #shown(count: string, what: string): Shown {
    return { stage: this.#stage, count, what };
  }

  #show(value: number | undefined, total: number | undefined, shown: Partial<Shown>): void {
    if (total !== undefined) this.#bar?.setTotal(total);
    if (value === undefined) this.#bar?.update(shown);
    else this.#bar?.update(value, shown);
  }

  #withOutput(line: string): string {
    return `${shortened(this.#instruction, INSTRUCTION_CHARACTERS)} · ${line}`;
  }

  #clear(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  /** Never longer than the terminal is wide, because a wrapped line cannot be redrawn. */
  #line(options: Options, { progress, startTime }: Params, { stage, count, what }: Shown): string {
    const bar = cliProgress.Format.BarFormat(progress, options);
    const took = seconds(Date.now() - startTime);
    const columns = Math.max(this.#stream.columns || 80, LEAST_COLUMNS) - 1;
    const head = `${stage.padEnd(LABEL_CELLS)} `;
    const numbers = [took, count].filter((text) => text !== "").join("  ");
    const left = columns - head.length - bar.length - numbers.length - 4;
    if (left < 0) return shortened(`${head}${numbers}`, columns);
    const about = this.#paint("dim", shortened(what, left));
    return `${head}${this.#paint("cyan", bar)}  ${numbers}  ${about}`.trimEnd();
  }
}
