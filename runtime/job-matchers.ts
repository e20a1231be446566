/** Expectations about jobs in tests: functions for the `expect.extend` of vitest and jest. */
import { inspect } from "node:util";
import { joinChunks } from "./client/stream/join-chunks.ts";
import type { RawChunk } from "./protocol/chunk.ts";
import type { Failure, FailureType } from "./protocol/failure.ts";
import { JOB_STATUSES, type JobStatus } from "./protocol/job-status.ts";

/** A job as clients, `startEmulator` and the service's answers show it. */
export interface JobLike {
  readonly id: string;
  readonly status: JobStatus;
  readonly output?: unknown;
  readonly error?: string;
  readonly failure?: Failure;
  /** Present in records of `startEmulator` only. */
  readonly chunks?: readonly RawChunk[];
  readonly logs?: readonly string[];
}

/** The `this` of a matcher, set by the test runner. Its `equals` accepts asymmetric matchers like `expect.any(String)`. */
interface MatcherContext {
  equals(a: unknown, b: unknown): boolean;
}

interface Verdict {
  readonly pass: boolean;
  readonly message: () => string;
  readonly actual?: unknown;
  readonly expected?: unknown;
}

/** Maximum log lines in a message. */
const LINES_SHOWN = 10;

/** For `expect.extend(jobMatchers)`, which `sv-runtime/vitest` calls itself. */
export const jobMatchers = {
  /** The job is COMPLETED. */
  toBeCompleted(this: MatcherContext, received: unknown): Verdict {
    const job = readJob(received);
    return verdict(job, job.status === "COMPLETED", "to be COMPLETED");
  },

  /** The job has failed or timed out, with a failure of this type. A given `message` is its text, or a pattern for it. */
  toHaveFailedWith(
    this: MatcherContext,
    received: unknown,
    type: FailureType,
    message?: string | RegExp,
  ): Verdict {
    const job = readJob(received);
    const { failure } = job;
    const isOver = job.status === "FAILED" || job.status === "TIMED_OUT";
    const pass = isOver && failure?.type === type && fits(failure.message, message);
    const how = message === undefined ? "" : ` and the message ${inspect(message)}`;
    return verdict(job, pass, `to have failed with ${type}${how}`);
  },

  /** The job is COMPLETED with an output that equals `expected`. */
  toHaveOutput(this: MatcherContext, received: unknown, expected: unknown): Verdict {
    const job = readJob(received);
    const pass = job.status === "COMPLETED" && this.equals(job.output, expected);
    const told = verdict(job, pass, `to have the output ${shown(expected)}`);
    return { ...told, actual: job.output, expected };
  },

  /** The yields of the job's handler equal `expected`, with the parts of split yields joined. */
  toHaveStreamed(this: MatcherContext, received: unknown, expected: readonly unknown[]): Verdict {
    const job = readJob(received);
    if (job.chunks === undefined)
      throw new TypeError(
        "toHaveStreamed needs a job with its chunks: take it from emulator.endpoint(id).job(id) or .run(input)",
      );
    const actual = joinChunks(job.chunks).map(({ output }) => output);
    const told = verdict(job, this.equals(actual, expected), `to have streamed ${shown(expected)}`);
    return { ...told, actual, expected };
  },
};

/** The signatures of the matchers, for the type declarations of the test runner. */
export interface JobMatchers<R = unknown> {
  /** The job is COMPLETED. */
  toBeCompleted(): R;
  /** The job has failed or timed out, with a failure of this type. A given `message` is its text, or a pattern for it. */
  toHaveFailedWith(type: FailureType, message?: string | RegExp): R;
  /** The job is COMPLETED with an output that equals `expected`. */
  toHaveOutput(expected: unknown): R;
  /** The yields of the job's handler equal `expected`, with the parts of split yields joined. */
  toHaveStreamed(expected: readonly unknown[]): R;
}

function fits(message: string, wanted: string | RegExp | undefined): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === "string" ? message === wanted : message.search(wanted) >= 0;
}

function readJob(received: unknown): JobLike {
  const isJob =
    typeof received === "object" &&
    received !== null &&
    "id" in received &&
    "status" in received &&
    JOB_STATUSES.some((status) => status === received.status);
  // The rest is optional, and only shown.
  if (isJob) return received as unknown as JobLike;
  throw new TypeError(`expected a job, with an id and a status; got ${shown(received)}`);
}

/** A verdict with the state of the job in its message, whatever was expected. */
function verdict(job: JobLike, pass: boolean, what: string): Verdict {
  const message = () => {
    const { id, status, output, error, failure, logs = failure?.lastLogLines ?? [] } = job;
    return [
      `expected the job ${id} ${pass ? "not " : ""}${what}`,
      `  status:  ${status}`,
      ...(failure ? [`  failure: ${failure.type}: ${failure.message}`] : []),
      ...(failure === undefined && error !== undefined ? [`  error:   ${error}`] : []),
      ...(output === undefined ? [] : [`  output:  ${shown(output)}`]),
      ...(logs.length > 0 ? ["  log:"] : []),
      ...logs.slice(-LINES_SHOWN).map((line) => `    ${line}`),
    ].join("\n");
  };
  return { pass, message };
}

function shown(value: unknown): string {
  return inspect(value, { depth: 4, breakLength: Infinity, maxStringLength: 200 });
}
