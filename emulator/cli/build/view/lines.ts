/** The progress of a build for a file or a program: a line for each step and for each tenth of the bytes sent. */
import { printable } from "../../../../runtime/protocol/printable.ts";
import type { BuildReport, BuildStage, StageFacts } from "../../../image/build-images.ts";
import type { BuildProgress } from "../../../image/engine/build-progress.ts";
import { shortened, size } from "./quantities.ts";
import { endSentence, summary, TRANSFERS } from "./stage-labels.ts";

const LINE_CHARACTERS = 96;
const PARTS = 10;
/** Minimum bytes for a line: fewer are sent before anyone could read the line. */
const PART_MIN_BYTES = 10_000_000;

export class Lines implements BuildReport {
  readonly #stream: NodeJS.WritableStream;
  readonly #images: StageFacts[] = [];
  #toldBytes = 0;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  begins(): void {
    this.#toldBytes = 0;
  }

  progress(progress: BuildProgress): void {
    switch (progress.kind) {
      case "step":
        this.#toldBytes = 0;
        this.#say(`Step ${progress.at}/${progress.of} : ${progress.what}`);
        return;
      case "bytes":
        return this.#tellBytes(progress);
      case "note":
        return this.#say(printable(progress.line, false));
      case "output":
        // A failed build shows the end of its output.
        return;
    }
  }

  ends(stage: BuildStage, facts: StageFacts): void {
    if (stage !== "push") this.#images.push(facts);
    this.#stream.write(`${endSentence(stage, facts)}\n`);
  }

  close(): void {
    // All lines stay.
  }

  sumUp(): void {
    this.#stream.write(summary(this.#images));
  }

  #tellBytes({ what, doneBytes, totalBytes }: Extract<BuildProgress, { kind: "bytes" }>): void {
    const part = Math.max(totalBytes / PARTS, PART_MIN_BYTES);
    if (doneBytes - this.#toldBytes < part) return;
    this.#toldBytes = doneBytes;
    this.#say(`${size(doneBytes)} of ${size(totalBytes)}: ${TRANSFERS[what]}`);
  }

  #say(text: string): void {
    this.#stream.write(`  ${shortened(text, LINE_CHARACTERS)}\n`);
  }
}
