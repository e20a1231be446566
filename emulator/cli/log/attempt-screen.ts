/** Shows ended jobs and attempts in a terminal with few lines, whatever their number. Each call returns the text to write. */
import { failurePlace, failureSentence } from "../../../runtime/core/failure-text.ts";
import { type AttemptEnd, isTrouble } from "../../core/observe/log/attempt-end.ts";
import { type AttemptLineOptions, attemptLines, markedLine, verbOf } from "./attempt-lines.ts";
import { durationInWords } from "../../core/time/duration.ts";
import { firstLine } from "../terminal-text.ts";
import { type AttemptGroup, AttemptsPerSecond } from "./attempts-per-second.ts";
import { type Repeat, Repeats } from "./repeats.ts";
import { shortId } from "./pretty-line.ts";

export interface AttemptScreenOptions extends Omit<AttemptLineOptions, "columns"> {
  /** The current width of the terminal. */
  readonly columns: () => number;
  /** Whether good ends are shown too. */
  readonly isWhole: boolean;
}

/** Maximum lines a second about good ends. Further ones are counted. */
const MOST_GOOD_LINES = 5;
/** Maximum lines a second about failures. Further ones are counted. */
const MOST_FAILURES = 10;
/** Characters of a message that are compared to find equal failures. */
const KEY_CHARACTERS = 500;

export class AttemptScreen {
  readonly #options: AttemptScreenOptions;
  readonly #good = new AttemptsPerSecond(MOST_GOOD_LINES, (group, wereShown, at) =>
    this.#goodGroup(group, wereShown, at),
  );
  readonly #bad = new AttemptsPerSecond(MOST_FAILURES, (group, _wereShown, at) =>
    this.#badGroup(group, at),
  );
  readonly #repeats = new Repeats<AttemptEnd>((repeat, at) => this.#repeated(repeat, at));
  #dueAt: number | undefined;

  constructor(options: AttemptScreenOptions) {
    this.#options = options;
  }

  /** When to call `due`; undefined if nothing is due. */
  get dueAt(): number | undefined {
    return this.#dueAt;
  }

  /** Takes an ended attempt. @param at wall time, ms since 1970 */
  ended(end: AttemptEnd, at: number): string {
    if (isTrouble(end)) return this.#failed(end, at);
    if (!this.#options.isWhole) return "";
    const due = this.#good.due(at);
    const isShown = this.#good.add(end, at);
    if (!isShown) this.#callAt(this.#good.nextDueAt());
    return isShown ? due + attemptLines(end, at, this.#lineOptions()) : due;
  }

  /** The lines about counted attempts that are due, or with `isEnd` all of them. */
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

  #goodGroup(group: AttemptGroup, wereShown: boolean, at: number): string {
    const { tally } = group;
    const medianMs = tally.medianMs();
    const median = medianMs === undefined ? "" : `, p50 ${durationInWords(medianMs)}`;
    const words = `${jobs(tally.count, wereShown ? "more " : "")} ${verbOf(group, true)}`;
    return markedLine(group, `${words}${elsewhere(group)}${median}`, at, this.#lineOptions());
  }

  #badGroup(group: AttemptGroup, at: number): string {
    const { tally, last } = group;
    const words = `${jobs(tally.count, "more ")} ${verbOf(group, true)}${elsewhere(group)}, the last `;
    return markedLine(group, words + inShort(last), at, this.#lineOptions());
  }

  #repeated({ last, count }: Repeat<AttemptEnd>, at: number): string {
    const words = `… and ${count.toLocaleString("en")} like it, last ${inShort(last)}`;
    return markedLine(last, words, at, this.#lineOptions());
  }

  #lineOptions(): AttemptLineOptions {
    return { ...this.#options, columns: this.#options.columns() };
  }
}

/** Key of equal failures: endpoint, error and place. Different attempts of a retried job are not equal. */
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

function elsewhere({ endpoints }: AttemptGroup): string {
  return endpoints === 1 ? "" : ` there and in ${endpoints - 1} other endpoints`;
}
