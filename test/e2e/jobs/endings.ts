/** The end of a job of each misbehaving fixture, as its client and the log see it. */
import { expect } from "vitest";
import type { Failure } from "../../../runtime/protocol/failure.ts";

/** Short, so that tests of handlers that ignore signals end soon. */
export const GRACE_MS = 300;

export interface Ending {
  readonly fixture: string;
  /** The end of the sentence that the fixture's name begins. */
  readonly what: string;
  /** Default: an empty object. */
  readonly input?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly status: "COMPLETED" | "FAILED" | "TIMED_OUT";
  readonly output?: unknown;
  /** Number of further attempts. */
  readonly retries?: number;
  /** The whole failure report, except the worker's id. */
  readonly failure?: Failure;
  /** All log lines about the job; default: not checked. */
  readonly says?: readonly string[];
  /** Whether the handler process has to be replaced. */
  readonly losesProcess: boolean;
}

const timedOut: Failure = {
  type: "execution_timeout",
  message: "The job ran longer than its executionTimeout of 5000 ms.",
};
const stubborn = (signal: string): string =>
  `warn: The job did not stop within ${GRACE_MS} ms of its abort signal: its process was ended by ${signal}.`;

export const ENDINGS: readonly Ending[] = [
  {
    fixture: "forever",
    what: "stops at the abort, within its grace, and keeps its process",
    status: "TIMED_OUT",
    failure: { ...timedOut, lastLogLines: ["waiting"] },
    says: ["info: waiting"],
    losesProcess: false,
  },
  {
    fixture: "blocks-the-loop",
    what: "cannot hear the abort, and is ended by SIGTERM after the grace",
    status: "TIMED_OUT",
    failure: { ...timedOut, lastLogLines: ["blocking"] },
    says: ["info: blocking", stubborn("SIGTERM")],
    losesProcess: true,
  },
  {
    fixture: "ignores-abort",
    what: "is ended by SIGTERM after the grace",
    status: "TIMED_OUT",
    failure: { ...timedOut, lastLogLines: ["waiting"] },
    says: ["info: waiting", stubborn("SIGTERM")],
    losesProcess: true,
  },
  {
    fixture: "ignores-sigterm",
    what: "is ended by SIGKILL after a second grace",
    status: "TIMED_OUT",
    failure: { ...timedOut, lastLogLines: ["waiting"] },
    says: ["info: waiting", stubborn("SIGKILL")],
    losesProcess: true,
  },
  {
    fixture: "forks-a-child",
    what: "is ended together with the programs it started, in its process group or not",
    status: "TIMED_OUT",
    failure: { ...timedOut, lastLogLines: ["waiting"] },
    says: ["info: waiting", stubborn("SIGTERM")],
    losesProcess: true,
  },
  {
    fixture: "never-yields",
    what: "is ended by SIGTERM after the grace, without a chunk",
    status: "TIMED_OUT",
    failure: { ...timedOut, lastLogLines: ["waiting"] },
    says: ["info: waiting", stubborn("SIGTERM")],
    losesProcess: true,
  },
  {
    fixture: "exits-7",
    what: "is run once more, then FAILED with the exit code",
    status: "FAILED",
    retries: 1,
    failure: {
      type: "process_exited",
      message:
        "The handler process was ended by the handler's process.exit with code 7 while it worked on the job.",
      exitCode: 7,
      lastLogLines: ["about to exit"],
    },
    says: ["info: about to exit", "info: about to exit"],
    losesProcess: true,
  },
  {
    fixture: "segfaults",
    what: "is run once more, then FAILED with the signal of its native crash",
    status: "FAILED",
    retries: 1,
    failure: {
      type: "process_exited",
      message: "The handler process was ended by SIGSEGV while it worked on the job.",
      signal: "SIGSEGV",
      // V8 may print more before it ends.
      lastLogLines: expect.arrayContaining(["calling the native code"]) as string[],
    },
    losesProcess: true,
  },
  {
    fixture: "eats-memory",
    what: "is run once more, then FAILED for lack of memory, with what V8 says of its heap",
    env: { NODE_OPTIONS: "--max-old-space-size=48" },
    status: "FAILED",
    retries: 1,
    failure: {
      type: "process_exited",
      message: "The handler process ran out of memory while it worked on the job.",
      signal: "SIGABRT",
      outOfMemory: true,
      lastLogLines: expect.arrayContaining([
        expect.stringMatching(/Mark-Compact.* \d+\.\d \(\d+\.\d\) -> \d+\.\d \(\d+\.\d\) MB/),
        expect.stringMatching(/^FATAL ERROR: .*JavaScript heap out of memory$/),
      ]) as string[],
    },
    losesProcess: true,
  },
  {
    fixture: "throws-a-string",
    what: "fails at once with that string, and is not run again",
    status: "FAILED",
    failure: { type: "handler_error", message: "no such voice: baritone" },
    says: [],
    losesProcess: false,
  },
  {
    fixture: "rejects-later",
    what: "fails with the uncaught error and the place where it was made",
    status: "FAILED",
    failure: {
      type: "unhandled_error",
      message: "nobody is listening",
      stack: expect.stringMatching(
        /^Error: nobody is listening\n +at .*handlers\/rejects-later\.ts:\d+:\d+/,
      ) as string,
      lastLogLines: ["waiting"],
    },
    says: ["info: waiting"],
    losesProcess: true,
  },
  {
    fixture: "cyclic-output",
    what: "fails because its output has no JSON form, and says where",
    status: "FAILED",
    failure: {
      type: "invalid_output",
      message: "The output has at self a reference back to the whole value.",
    },
    says: [],
    losesProcess: false,
  },
  {
    fixture: "prints-a-gigabyte",
    what: "completes, and no process's memory grows with what it prints",
    status: "COMPLETED",
    output: {
      heldBytes: expect.toSatisfy((bytes: number) => bytes < 400_000_000) as number,
    },
    losesProcess: false,
  },
  {
    fixture: "yields-3-mb",
    what: "completes with all it yielded",
    status: "COMPLETED",
    output: ["first", { text: "é".repeat(1_500_000) }, "last"],
    says: [],
    losesProcess: false,
  },
];
