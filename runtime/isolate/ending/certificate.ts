/** Words and lines for the certificates of jobs that were ended, and for the log. */
import type { Failure } from "../../protocol/failure.ts";
import type { ProcessEnd } from "./verdict.ts";

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

/** For the log: what it took to end a process whose job had its outcome, and did not stop. */
export function stubbornText(graceMs: number, { signal, exitCode = 0 }: ProcessEnd): string {
  const end = signal === undefined ? `by itself with code ${exitCode}` : `by ${signal}`;
  return `The job had not stopped ${graceMs} ms after it was told to: its process was ended ${end}.`;
}
