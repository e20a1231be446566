/** An attempt at a job: which worker had it, when, and how it ended. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { defined } from "../../../runtime/protocol/without-undefined.ts";

/**
 * How an attempt ended; `running` before that. `crashed`: the handler process ended during the attempt. `out_of_memory`: the
 * process or the worker ended for lack of memory. `lost`: the worker was lost. `handed_back`: the worker returned the job
 * unharmed. `undelivered`: the job never reached the worker. `interrupted`: the service ended during the attempt. `damaged`:
 * data of the job is damaged.
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

/** The outcome as the predicate of a sentence about the job or the attempt. */
export function outcomeInWords(outcome: AttemptOutcome): string {
  return IN_WORDS[outcome];
}

/** Outcomes of an attempt that costs the job nothing. */
export type HarmlessOutcome = Extract<
  AttemptOutcome,
  "handed_back" | "undelivered" | "interrupted"
>;

/** The stages of a worker's start that the service saw; service time, ms. */
export interface WorkerStart {
  /** The launcher got the order to start it. */
  readonly workerStartedAt: number;
  /** Its program runs; an image was pulled before. */
  readonly pulledAt?: number;
  /** Its first message arrived. */
  readonly bootedAt?: number;
  /** Its handler is loaded and initialized. */
  readonly readyAt: number;
}

/** Moments are service time, ms. An attempt has no input, output or credentials. */
export interface Attempt extends Partial<WorkerStart> {
  /** Number of the hand-over, from 1. */
  readonly number: number;
  readonly outcome: AttemptOutcome;
  readonly workerId?: string;
  /** Version of the endpoint that the worker served. */
  readonly version?: number;
  /** Start of the wait: the submission, or the return to the queue before this attempt. */
  readonly queuedAt: number;
  readonly startedAt: number;
  /** Undefined while the attempt runs. */
  readonly endedAt?: number;
  /** In an earlier attempt, texts may be cut and `reported` is missing. */
  readonly failure?: Failure;
}

/** Maximum number of earlier attempts that are kept: the first one and the newest. */
export const KEPT_ATTEMPTS = 20;
const KEPT_CHARACTERS = 2_000;
const KEPT_LINES = 5;
const KEPT_LINE_CHARACTERS = 500;

/** Adds an attempt; beyond the maximum the second oldest one is dropped. */
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
