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

/** Adds the last lines the job's process printed, if it printed any. */
export function withLogLines(failure: Failure, lastLogLines: readonly string[]): Failure {
  return lastLogLines.length === 0 ? failure : { ...failure, lastLogLines };
}

/** For the log, where no job's failure report holds the error. */
export function uncaughtLine({ message, stack }: FailedHead): OutputLine {
  return {
    stream: "stderr",
    level: "error",
    text: `An error that nobody caught ends the handler process: ${message}`,
    ...(stack === undefined ? {} : { fields: { stack } }),
  };
}

/** How a process was ended that went on after the outcome of its job. */
export function stubbornLine(
  jobId: string,
  graceMs: number,
  { signal, exitCode = 0 }: ProcessEnd,
): OutputLine {
  const end = signal === undefined ? `by itself with code ${exitCode}` : `by ${signal}`;
  const text = `The job had not stopped ${graceMs} ms after it was told to: its process was ended ${end}.`;
  return { stream: "stderr", level: "warn", jobId, text };
}
