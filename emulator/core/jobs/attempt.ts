/** One attempt at a job as the service keeps it: who had it when, and how that ended. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { defined } from "../../../runtime/protocol/without-undefined.ts";

/**
 * How an attempt ended; `running` until then. `crashed`: the handler process ended while it ran; `out_of_memory`: likewise, or
 * its whole worker, and for lack of memory; `lost`: its worker was; `handed_back`: its worker gave the job back unharmed;
 * `undelivered`: the job never arrived there; `interrupted`: the service ended while it ran; `damaged`: the job's data is.
 */
export const ATTEMPT_OUTCOMES = [
  "running",
  "completed",
  "failed",
  "crashed",
  "out_of_memory",
  "timed_out",
  "lost",
  "handed_back",
  "undelivered",
  "interrupted",
  "cancelled",
  "damaged",
] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

const IN_WORDS: Readonly<Record<AttemptOutcome, string>> = {
  running: "runs",
  completed: "completed",
  failed: "failed",
  crashed: "crashed",
  out_of_memory: "ran out of memory",
  timed_out: "timed out",
  lost: "lost its worker",
  handed_back: "was handed back unharmed",
  undelivered: "never arrived at its worker",
  interrupted: "was interrupted by the end of the emulator",
  cancelled: "was cancelled",
  damaged: "failed for damaged data",
};

/** The predicate of a sentence about a job or an attempt. */
export function outcomeInWords(outcome: AttemptOutcome): string {
  return IN_WORDS[outcome];
}

/** Those of an attempt that costs the job nothing. */
export type HarmlessOutcome = Extract<
  AttemptOutcome,
  "handed_back" | "undelivered" | "interrupted"
>;

/** How a worker came to be ready, as far as the service saw it; service time, ms. */
export interface WorkerStart {
  /** Its launcher was told to start it. */
  readonly workerStartedAt: number;
  /** Its program runs: an image was pulled before. */
  readonly pulledAt?: number;
  /** Its first message came. */
  readonly bootedAt?: number;
  /** Its handler is loaded and set up. */
  readonly readyAt: number;
}

/** Moments are service time, ms. Input, output and credentials are no part of it. */
export interface Attempt extends Partial<WorkerStart> {
  /** Counts the hand-overs of the job, from 1. */
  readonly number: number;
  readonly outcome: AttemptOutcome;
  readonly workerId?: string;
  /** The version of the endpoint that the worker served. */
  readonly version?: number;
  /** Submission, or the return to the queue before this attempt. */
  readonly queuedAt: number;
  readonly startedAt: number;
  /** Absent while it runs. */
  readonly endedAt?: number;
  /** Of an earlier attempt its texts may be cut, and `reported` is left out. */
  readonly failure?: Failure;
}

/** Earlier attempts that are kept: the first, and the newest. */
export const KEPT_ATTEMPTS = 20;
const KEPT_CHARACTERS = 2_000;
const KEPT_LINES = 5;
const KEPT_LINE_CHARACTERS = 500;

/** `attempts` with one more; the second gives way where they become too many. */
export function withAttempt(
  attempts: readonly Attempt[] | undefined = [],
  attempt: Attempt,
): readonly Attempt[] {
  const { failure } = attempt;
  const all = [...attempts, failure ? { ...attempt, failure: shortened(failure) } : attempt];
  return all.length > KEPT_ATTEMPTS ? all.toSpliced(1, 1) : all;
}

export function outcomeOfFailure({ type, outOfMemory }: Failure): AttemptOutcome {
  if (outOfMemory === true) return "out_of_memory";
  switch (type) {
    case "process_exited":
      return "crashed";
    case "execution_timeout":
      return "timed_out";
    case "worker_lost":
      return "lost";
    case "data_damaged":
      return "damaged";
    default:
      return "failed";
  }
}

function shortened(failure: Failure): Failure {
  const { message, stack, lastLogLines, reported: _, ...rest } = failure;
  const lines = lastLogLines?.slice(-KEPT_LINES).map((line) => cut(line, KEPT_LINE_CHARACTERS));
  return {
    ...rest,
    message: cut(message, KEPT_CHARACTERS),
    ...defined({ stack: stack && cut(stack, KEPT_CHARACTERS), lastLogLines: lines }),
  };
}

function cut(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters)}…` : text;
}
