/** Failure reports and log lines about how jobs and their processes ended. */
import type { FailedHead } from "../../pipe/frame-kinds.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Outcome } from "../../protocol/outcome.ts";
import type { OutputLine } from "../handler-output.ts";
import type { ProcessEnd } from "./attribute-exit.ts";

export function timedOut(executionTimeoutMs: number, lastLogLines: string[]): Outcome {
  const failure: Failure = {
    type: "execution_timeout",
    message: `The job ran longer than its executionTimeout of ${executionTimeoutMs} ms.`,
  };
  return { kind: "timed-out", failure: withLogLines(failure, lastLogLines) };
}

/** Adds the last lines that the job's process printed, if any. */
export function withLogLines(failure: Failure, lastLogLines: readonly string[]): Failure {
  return lastLogLines.length === 0 ? failure : { ...failure, lastLogLines };
}

/** The log line of an error that no job's failure report contains. */
export function uncaughtLine({ message, stack }: FailedHead): OutputLine {
  return {
    stream: "stderr",
    level: "error",
    text: `An uncaught error ends the handler process: ${message}`,
    ...(stack === undefined ? {} : { fields: { stack } }),
  };
}

/** The log line about a process that had to be ended because its job did not stop. */
export function stubbornLine(
  jobId: string,
  graceMs: number,
  { signal, exitCode = 0 }: ProcessEnd,
): OutputLine {
  const end = signal === undefined ? `by itself with code ${exitCode}` : `by ${signal}`;
  const text = `The job did not stop within ${graceMs} ms of its abort signal: its process was ended ${end}.`;
  return { stream: "stderr", level: "warn", jobId, text };
}
