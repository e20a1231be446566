/** A job as `/status` shows it in the live dialect (live): fields in alphabetical order, the error as one text. */
import type { Failure, FailureType } from "../../../runtime/protocol/failure.ts";
import { frameOf } from "./job-body.ts";
import { errorOf, timedOut, VIEWS } from "./job-members.ts";
import type { Job } from "./job.ts";

/** `{delayTime, error, executionTime, id, output, retries, status, workerId}` without unknown members. */
export const liveJobFrame = frameOf(
  VIEWS.status
    .filter(({ name }) => name !== "failure")
    .map((member) => (member.name === "error" ? { ...member, compute: liveError } : member))
    .toSorted((one, other) => (one.as < other.as ? -1 : 1)),
);

/** Failures with an exception, which the live service shows. */
const EXCEPTIONS: ReadonlySet<FailureType> = new Set(["handler_error", "unhandled_error"]);

/** Failures that the live service sees only as a job that never came back. */
const LOST: ReadonlySet<FailureType> = new Set(["worker_lost", "process_exited"]);

function liveError(job: Job): string | undefined {
  const { failure } = job;
  if (failure === undefined) return undefined;
  if (failure.reported !== undefined) return failure.reported;
  if (LOST.has(failure.type)) return timedOut(job);
  return EXCEPTIONS.has(failure.type) ? exceptionText(failure, job.workerId) : errorOf(job);
}

/** The exception in the form of the live service's workers: JSON in a text. */
function exceptionText(failure: Failure, heldBy: string | undefined): string {
  return JSON.stringify({
    error_type: errorType(failure),
    error_message: failure.message,
    error_traceback: failure.stack ?? "",
    hostname: "unknown",
    worker_id: failure.workerId ?? heldBy,
    runpod_version: "sv-runtime",
  });
}

/** The name at the beginning of a stack, for example `TypeError`. */
function errorType({ stack = "" }: Failure): string {
  return (
    /^(?:Uncaught )?([\p{ID_Start}$_][\p{ID_Continue}$.]*)(?=[:\n]|$)/u.exec(stack)?.[1] ?? "Error"
  );
}
