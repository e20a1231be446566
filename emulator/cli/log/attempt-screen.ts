/** What a terminal shows of jobs and attempts that end: few lines, however many they are. Each call returns what is to be written. */
import { failurePlace, failureSentence } from "../../../runtime/core/failure-text.ts";
import { type AttemptEnd, isTrouble } from "../../core/observe/log/attempt-end.ts";
import { type AttemptLineOptions, attemptLines, markedLine, verbOf } from "./attempt-lines.ts";
import { durationInWords } from "../../core/time/duration.ts";
import { firstLine } from "../terminal-text.ts";
import { type Crowd, Joined } from "./joined.ts";
import { type Repeat, Repeats } from "./repeats.ts";
import { shortId } from "./pretty-line.ts";

export interface AttemptScreenOptions extends Omit<AttemptLineOptions, "columns"> {
  /** The width of the terminal by now. */
  readonly columns: () => number;
  /** Whether what went well is shown as well. */
  readonly isWhole: boolean;
}

/** In a second; the others are counted. */
const MOST_GOOD_LINES = 5;
const MOST_FAILURES = 10;
/** Of a message, to tell whether failures are alike. */
const KEY_CHARACTERS = 500;

export class AttemptScreen {
  readonly #options: AttemptScreenOptions;
  readonly #good = new Joined(MOST_GOOD_LINES, (crowd, wereShown, at) =>
    this.#goodCrowd(crowd, wereShown, at),
  );
  readonly #bad = new Joined(MOST_FAILURES, (crowd, _wereShown, at) => this.#badCrowd(crowd, at));
  readonly #repeats = new Repeats<AttemptEnd>((repeat, at) => this.#repeated(repeat, at));
  #dueAt: number | undefined;

  constructor(options: AttemptScreenOptions) {
    this.#options = options;
  }

  /** When `due` is to be called; undefined where nothing waits for that. */
  get dueAt(): number | undefined {
    return this.#dueAt;
  }

  /** @param at the time of day, ms since 1970 */
  ended(end: AttemptEnd, at: number): string {
    if (isTrouble(end)) return this.#failed(end, at);
    if (!this.#options.isWhole) return "";
    const due = this.#good.due(at);
    const isShown = this.#good.add(end, at);
    if (!isShown) this.#callAt(this.#good.nextDueAt());
    return isShown ? due + attemptLines(end, at, this.#lineOptions()) : due;
  }

  /** What was counted and may be told by now, or with `isEnd` all of it. */
  due(at: number, isEnd = false): string {
    const text =
      this.#good.due(at, isEnd) + this.#bad.due(at, isEnd) + this.#repeats.due(at, isEnd);
    this.#dueAt = undefined;
    for (const part of [this.#good, this.#bad, this.#repeats]) this.#callAt(part.nextDueAt());
    return text;
  }

  #failed(end: AttemptEnd, at: number): string {
    const key = keyOf(end);
    const repeated = this.#repeats.add(key, end, at);
    if (repeated !== undefined) {
      if (this.#dueAt === undefined) this.#callAt(this.#repeats.nextDueAt());
      return repeated;
    }
    const due = this.#bad.due(at);
    if (!this.#bad.add(end, at)) {
      this.#callAt(this.#bad.nextDueAt());
      return due;
    }
    const forgotten = this.#repeats.shown(key, end, at);
    return due + forgotten + attemptLines(end, at, this.#lineOptions());
  }

  #callAt(at: number | undefined): void {
    if (at !== undefined) this.#dueAt = Math.min(at, this.#dueAt ?? at);
  }

  #goodCrowd(crowd: Crowd, wereShown: boolean, at: number): string {
    const { tally } = crowd;
    const medianMs = tally.medianMs();
    const median = medianMs === undefined ? "" : `, p50 ${durationInWords(medianMs)}`;
    const words = `${jobs(tally.count, wereShown ? "more " : "")} ${verbOf(crowd, true)}`;
    return markedLine(crowd, `${words}${elsewhere(crowd)}${median}`, at, this.#lineOptions());
  }

  #badCrowd(crowd: Crowd, at: number): string {
    const { tally, last } = crowd;
    const words = `${jobs(tally.count, "more ")} ${verbOf(crowd, true)}${elsewhere(crowd)}, the last `;
    return markedLine(crowd, words + inShort(last), at, this.#lineOptions());
  }

  #repeated({ last, count }: Repeat<AttemptEnd>, at: number): string {
    const words = `… and ${count.toLocaleString("en")} like it, last ${inShort(last)}`;
    return markedLine(last, words, at, this.#lineOptions());
  }

  #lineOptions(): AttemptLineOptions {
    return { ...this.#options, columns: this.#options.columns() };
  }
}

/** Alike are those of one endpoint with the same error at the same place; each attempt of a job is told of. */
function keyOf({ outcome, endpointId, isTriedAgain, attempt, failure }: AttemptEnd): string {
  const { type = "", message = "" } = failure ?? {};
  const place = failure === undefined ? "" : failurePlace(failure);
  const which = isTriedAgain ? attempt : 0;
  return [outcome, which, endpointId, type, message.slice(0, KEY_CHARACTERS), place].join("\0");
}

function inShort({ jobId, failure }: AttemptEnd): string {
  const sentence = failure === undefined ? "" : `: ${firstLine(failureSentence(failure))}`;
  return `${shortId(jobId)}${sentence}`;
}

function jobs(count: number, more: string): string {
  return `${count.toLocaleString("en")} ${more}${count === 1 ? "job" : "jobs"}`;
}

function elsewhere({ endpoints }: Crowd): string {
  return endpoints === 1 ? "" : ` there and in ${endpoints - 1} other endpoints`;
}
