/** Formats ended attempts as lines: a good end dim and short, a failure with its error and its place. */
import { failureFrames, failureSentence } from "../../../runtime/core/failure-text.ts";
import { outcomeInWords } from "../../core/jobs/attempt.ts";
import { type AttemptEnd, isTrouble } from "../../core/observe/log/attempt-end.ts";
import { durationInWords } from "../../core/time/duration.ts";
import { firstLine, painter, type Style } from "../terminal-text.ts";
import { printable } from "../../../runtime/protocol/printable.ts";
import { clockTime, shortId } from "./pretty-line.ts";

export interface AttemptLineOptions {
  readonly colors: boolean;
  /** Whether stacks are shown whole. */
  readonly stacks: boolean;
  /** The width of the terminal. */
  readonly columns: number;
  /** Base directory of shown paths. */
  readonly cwd: string;
}

/** Maximum shown lines of a message. The job's failure report has all of it. */
const MOST_MESSAGE_LINES = 6;
const FRAME_INDENT = "    ";

/** The line of an attempt. A failure has further lines for its message and its place. */
export function attemptLines(end: AttemptEnd, at: number, options: AttemptLineOptions): string {
  const { jobId, attempt, durationMs, failure, isTriedAgain } = end;
  const after = durationMs === undefined ? "" : ` after ${durationInWords(durationMs)}`;
  const again = isTriedAgain ? ", is tried again" : "";
  const which = attempt > 1 || isTriedAgain ? `attempt ${attempt} ` : "";
  const head = `${shortId(jobId)} ${which}${verbOf(end)}${after}${again}`;
  if (failure === undefined) return markedLine(end, head, at, options);
  if (isTriedAgain)
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

/** The verb for the end of a job, or of `several` jobs. */
export function verbOf({ outcome }: Pick<AttemptEnd, "outcome">, several = false): string {
  if (outcome === "expired" || outcome === "purged") return outcome;
  const verb = outcomeInWords(outcome).replace(/^was /u, "");
  return several ? verb.replace(" its worker", " their workers") : verb;
}

/** The members of an attempt that decide the look of its line. */
export type LineOf = Pick<AttemptEnd, "outcome" | "endpointId" | "isTriedAgain">;

function lookOf(end: LineOf): { readonly mark: string; readonly color: Style } {
  if (!isTrouble(end))
    return { mark: end.outcome === "completed" ? "✓" : end.isTriedAgain ? "↻" : "-", color: "dim" };
  return end.isTriedAgain ? { mark: "↻", color: "yellow" } : { mark: "✗", color: "red" };
}

/** A line about one or several attempts with the same end. With `width` "cut" it is cut to the terminal's width. */
export function markedLine(
  end: LineOf,
  words: string,
  at: number,
  { colors, columns }: AttemptLineOptions,
  width: "cut" | "whole" = "cut",
): string {
  const { mark, color } = lookOf(end);
  const time = clockTime(at);
  const text = printable(`${mark} ${end.endpointId} ${words}`, false);
  const fitting = width === "cut" ? cut(text, columns - time.length - 1) : text;
  const paint = painter(colors);
  return `${paint("dim", time)} ${paint(color, fitting)}\n`;
}

function indented(text: string, { colors, columns }: AttemptLineOptions): string {
  const shown = printable(text, false);
  const room = columns - FRAME_INDENT.length;
  const fitting = FRAME_INDENT + (/^\s*at /.test(shown) ? cutPath(shown, room) : cut(shown, room));
  return `${painter(colors)("dim", fitting)}\n`;
}

function cut(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, Math.max(columns - 1, 1))}…`;
}

/** Cuts the beginning of a path, because its end says most. */
function cutPath(frame: string, columns: number): string {
  const excess = frame.length - columns;
  if (excess <= 0) return frame;
  const start = frame.indexOf("(") + 1 || frame.indexOf("at ") + 3;
  const rest = frame.slice(start + excess + 1);
  return rest.length < 10 ? cut(frame, columns) : `${frame.slice(0, start)}…${rest}`;
}
