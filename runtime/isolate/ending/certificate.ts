/** Words and lines for the certificates of jobs that were ended. */
import type { FailedHead } from "../../pipe/frame-kinds.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { OutputLine } from "../handler-output.ts";

export function timedOutFailure(executionTimeoutMs: number): Failure {
  return {
    type: "execution_timeout",
    message: `The job ran longer than its executionTimeout of ${executionTimeoutMs} ms.`,
  };
}

/** Adds the last lines the job's process printed, if it printed any. */
export function withLogLines(failure: Failure, lastLogLines: readonly string[]): Failure {
  return lastLogLines.length === 0 ? failure : { ...failure, lastLogLines };
}

/** For the log, when no certificate holds it. */
export function uncaughtLine({ message, stack }: FailedHead): OutputLine {
  return {
    stream: "stderr",
    level: "error",
    text: `An error that nobody caught ends the handler process: ${message}`,
    ...(stack === undefined ? {} : { fields: { stack } }),
  };
}
