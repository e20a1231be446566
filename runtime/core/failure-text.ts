/** Formats a failure for people: a sentence about the error, and the stack frames of the user's code. */
import type { Failure } from "../protocol/failure.ts";

/** Maximum number of frames shown of the error, and of each cause. */
const MOST_FRAMES = 4;
const MOST_CAUSE_FRAMES = 2;
const CAUSED_BY = "\ncaused by: ";

/** Matches frames of packages, of Node, and of the program that runs the handler. */
const FOREIGN_FRAME =
  /[\\/]node_modules[\\/]|\(?node:|<anonymous>\)?$|[\\/]runtime[\\/]handler[\\/]handler-process\.c?[jt]s|\(native\)$|\(index \d+\)$/;

/** Names and patterns of the owners of foreign frames. The last matching pattern counts. */
const OWNERS = [
  ["packages", /[\\/]node_modules[\\/]/],
  ["Node", /\(?node:/],
  ["sv-runtime", /[\\/]runtime[\\/]handler[\\/]handler-process\.c?[jt]s/],
] as const;

export interface FailureTextOptions {
  /** Paths of files below this directory are shown relative to it. */
  readonly cwd?: string;
  /** Shows all frames. Default: false. */
  readonly isWhole?: boolean;
  /** Maximum number of user frames shown for each error. Default: 4; for causes: 2. */
  readonly most?: number;
}

/** Returns the error's name, or else the type of the failure, and the message. The message may have several lines. */
export function failureSentence({ type, message, stack }: Failure): string {
  const name = /^(?:Uncaught )?([A-Z][\w$.]*)(?: \[\w+\])?(?::|\n|$)/.exec(stack ?? "")?.[1];
  if (name === undefined) return `${type}: ${message}`;
  return name === message ? name : `${name}: ${message}`;
}

/** The stack frames that are shown below the sentence. Frames of causes are indented. Empty if the stack has no user frames. */
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

/** Returns the number and owners of the foreign frames, for example `3 frames of sv-runtime`; "" if there are none. */
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

/** Returns the innermost frame of the user's code, or "" if there is none. */
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

/** Returns the frames of a JavaScript or Python stack, innermost first. */
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
