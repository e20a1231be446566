/** A failure as people read it: a sentence for its error, and the frames of its stack that are the user's own. */
import type { Failure } from "../protocol/failure.ts";

/** Maximum frames shown of the error, and of each of its causes. */
const MOST_FRAMES = 4;
const MOST_CAUSE_FRAMES = 2;
const CAUSED_BY = "\ncaused by: ";

/** Frames of packages, of Node, and of the program around the handler. */
const FOREIGN_FRAME =
  /[\\/]node_modules[\\/]|\(?node:|<anonymous>\)?$|[\\/]runtime[\\/]handler[\\/]handler-process\.c?[jt]s|\(native\)$|\(index \d+\)$/;

/** Owners of foreign frames, as they are named; the last pattern that fits counts. */
const OWNERS = [
  ["packages", /[\\/]node_modules[\\/]/],
  ["Node", /\(?node:/],
  ["sv-runtime", /[\\/]runtime[\\/]handler[\\/]handler-process\.c?[jt]s/],
] as const;

export interface FailureTextOptions {
  /** Files below it are shown by their path from there. */
  readonly cwd?: string;
  /** Whether all frames are shown. Default: not. */
  readonly isWhole?: boolean;
  /** Maximum frames of the user's own shown for each error. Default: 4, for causes 2. */
  readonly most?: number;
}

/** The error's name or the kind of failure, and its message, which may have several lines. */
export function failureSentence({ type, message, stack }: Failure): string {
  const name = /^(?:Uncaught )?([A-Z][\w$.]*)(?: \[\w+\])?(?::|\n|$)/.exec(stack ?? "")?.[1];
  if (name === undefined) return `${type}: ${message}`;
  return name === message ? name : `${name}: ${message}`;
}

/** The lines below the sentence, those of causes indented; none where there is no stack, or nothing of the user's in it. */
export function failureFrames(
  { stack = "" }: Pick<Failure, "stack">,
  options: FailureTextOptions = {},
): readonly string[] {
  const [error = "", ...causes] = stack.split(CAUSED_BY);
  return [
    ...shownFrames(error, options.most ?? MOST_FRAMES, options),
    ...causes.flatMap((cause) => [
      `caused by: ${messageOf(cause)}`,
      ...shownFrames(cause, options.most ?? MOST_CAUSE_FRAMES, options).map(
        (frame) => `  ${frame}`,
      ),
    ]),
  ];
}

/** The number and the owners of frames that are not the user's own: `3 frames of sv-runtime`; "" where there are none. */
export function foldedFrames({ stack = "" }: Pick<Failure, "stack">): string {
  const folded = stack
    .split(CAUSED_BY)
    .flatMap((error) => framesOf(error).filter((frame) => FOREIGN_FRAME.test(frame)));
  if (folded.length === 0) return "";
  const owners = OWNERS.filter(([owner]) => folded.some((frame) => ownerOf(frame) === owner));
  const names = owners.map(([name]) => name);
  const [last = "Node"] = names.splice(-1);
  const whose = names.length === 0 ? last : `${names.join(", ")} and ${last}`;
  return `${folded.length} ${folded.length === 1 ? "frame" : "frames"} of ${whose}`;
}

function ownerOf(foreignFrame: string): string | undefined {
  return OWNERS.findLast(([, theirs]) => theirs.test(foreignFrame))?.[0];
}

/** The place in the user's own code where it failed; "" where none is known. */
export function failurePlace({ stack = "" }: Pick<Failure, "stack">): string {
  return framesOf(stack).find((frame) => !FOREIGN_FRAME.test(frame)) ?? "";
}

function shownFrames(
  stack: string,
  most: number,
  { cwd, isWhole = false }: FailureTextOptions,
): readonly string[] {
  const all = framesOf(stack);
  const own = isWhole ? all : all.filter((frame) => !FOREIGN_FRAME.test(frame));
  const shown = own.slice(0, isWhole ? own.length : most).map((frame) => fromHere(frame, cwd));
  const more = own.length - shown.length;
  return more === 0 ? shown : [...shown, `… ${more} more ${more === 1 ? "frame" : "frames"}`];
}

/** The frames of a stack of JavaScript or Python, the innermost first. */
function framesOf(stack: string): readonly string[] {
  const lines = stack.split("\n");
  const frames = lines.filter((line) => /^\s+at /.test(line)).map((line) => line.trim());
  if (frames.length > 0) return frames;
  return lines
    .map((line) => /^\s+File "(.+)", line (\d+)(?:, in (.+))?$/.exec(line))
    .filter((match) => match !== null)
    .map(([, file, line, name = "<module>"]) => `at ${name} (${file}:${line})`)
    .toReversed();
}

function messageOf(stack: string): string {
  return stack.split(/\n\s+at /, 1)[0] ?? "";
}

function fromHere(frame: string, cwd: string | undefined): string {
  const plain = frame.replace("file://", "");
  return cwd === undefined ? plain : plain.replace(`${cwd}/`, "");
}
