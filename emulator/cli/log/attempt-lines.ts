/** Attempts that ended, as lines for people: what went well dim and short, what went wrong with its error and its place. */
import { failureFrames, failureSentence } from "../../../runtime/core/failure-text.ts";
import type { AttemptEnd, AttemptOutcome } from "../../core/observe/log/attempt-end.ts";
import { durationInWords, type Paint, painter } from "../operate/terminal.ts";
import { printable } from "../printable.ts";
import { clockTime, shortId } from "./pretty-line.ts";

export interface AttemptLineOptions {
  readonly colors: boolean;
  /** Whether all frames of stacks are shown. */
  readonly stacks: boolean;
  /** The width of the terminal. */
  readonly columns: number;
  /** Files below it are shown by their path from there. */
  readonly cwd: string;
}

/** Lines of a message that are shown; the rest is in the job's failure report. */
const MOST_MESSAGE_LINES = 6;
const FRAME_INDENT = "    ";

interface Look {
  readonly mark: string;
  readonly color: Parameters<Paint>[0];
  readonly verb: string;
}

const LOOKS: Readonly<Record<AttemptOutcome, Look>> = {
  completed: { mark: "✓", color: "dim", verb: "completed" },
  cancelled: { mark: "-", color: "dim", verb: "cancelled" },
  purged: { mark: "-", color: "dim", verb: "purged" },
  "handed-back": { mark: "↻", color: "dim", verb: "given back unharmed" },
  retried: { mark: "↻", color: "yellow", verb: "failed" },
  failed: { mark: "✗", color: "red", verb: "failed" },
  "timed-out": { mark: "✗", color: "red", verb: "timed out" },
  expired: { mark: "✗", color: "red", verb: "expired" },
};

/** One attempt: one line, of a failure also the lines of its message and its place. */
export function attemptLines(end: AttemptEnd, at: number, options: AttemptLineOptions): string {
  const { outcome, jobId, attempt, durationMs, failure } = end;
  const after = durationMs === undefined ? "" : ` after ${durationInWords(durationMs)}`;
  const again = ["retried", "handed-back"].includes(outcome) ? ", is tried again" : "";
  const which = attempt > 1 || again !== "" ? `attempt ${attempt} ` : "";
  const head = `${shortId(jobId)} ${which}${LOOKS[outcome].verb}${after}${again}`;
  if (failure === undefined) return markedLine(end, head, at, options);
  if (outcome === "retried")
    return markedLine(end, `${head}: ${firstLine(failureSentence(failure))}`, at, options, "whole");
  const [first = "", ...rest] = failureSentence(failure).split("\n");
  const frames = failureFrames(failure, { cwd: options.cwd, isWhole: options.stacks });
  const more = rest.length - MOST_MESSAGE_LINES;
  const below = [...rest.slice(0, MOST_MESSAGE_LINES), ...(more > 0 ? ["…"] : [])];
  return [
    markedLine(end, `${head}: ${first}`, at, options, "whole"),
    ...below.map((text) => indented(text, options)),
    ...frames.map((frame) => indented(frame, options)),
  ].join("");
}

/** What is done with the job, for a count of them. */
export function verbOf(outcome: AttemptOutcome): string {
  return LOOKS[outcome].verb;
}

/** The first line of what a person reads of a failure. */
export function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** Words on one or several that ended alike. `width`: whether what does not fit into the terminal is left out. */
export function markedLine(
  { outcome, endpointId }: Pick<AttemptEnd, "outcome" | "endpointId">,
  words: string,
  at: number,
  { colors, columns }: AttemptLineOptions,
  width: "cut" | "whole" = "cut",
): string {
  const { mark, color } = LOOKS[outcome];
  const time = clockTime(at);
  const text = printable(`${mark} ${endpointId} ${words}`, false);
  const fitting = width === "cut" ? cut(text, columns - time.length - 1) : text;
  const paint = painter({ colors });
  return `${paint("dim", time)} ${paint(color, fitting)}\n`;
}

function indented(text: string, { colors, columns }: AttemptLineOptions): string {
  const shown = printable(text, false);
  const room = columns - FRAME_INDENT.length;
  const fitting = FRAME_INDENT + (/^\s*at /.test(shown) ? cutPath(shown, room) : cut(shown, room));
  return `${painter({ colors })("dim", fitting)}\n`;
}

function cut(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, Math.max(columns - 1, 1))}…`;
}

/** The end of a path says most. */
function cutPath(frame: string, columns: number): string {
  const excess = frame.length - columns;
  if (excess <= 0) return frame;
  const start = frame.indexOf("(") + 1 || frame.indexOf("at ") + 3;
  const rest = frame.slice(start + excess + 1);
  return rest.length < 10 ? cut(frame, columns) : `${frame.slice(0, start)}…${rest}`;
}
