/** A job as `/status` shows it in the live dialect (live): its fields in alphabetical order, its error as one text. */
import type { Failure, FailureType } from "../../../runtime/protocol/failure.ts";
import { errorOf, type JobFrame, timedOut } from "./job-body.ts";
import type { Job } from "./job.ts";

/** `{delayTime, error, executionTime, id, output, retries, status, workerId}` as far as they are known. */
export function liveJobFrame(job: Job): JobFrame {
  const head = membersOf({
    delayTime: job.delayTimeMs,
    error: liveError(job),
    executionTime: job.executionTimeMs,
    id: job.id,
  });
  const tail = membersOf({
    retries: job.retries > 0 ? job.retries : undefined,
    status: job.status,
    workerId: job.workerId,
  });
  return { head: `{${head}`, tail: `,${tail}` };
}

/** The members of an object without its braces; what is not known is left out. */
function membersOf(members: Readonly<Record<string, string | number | undefined>>): string {
  return JSON.stringify(members).slice(1, -1);
}

/** Those of which the live service shows the exception. */
const EXCEPTIONS: ReadonlySet<FailureType> = new Set(["handler_error", "unhandled_error"]);

/** Those of which it knows nothing but that the job never came back. */
const LOST: ReadonlySet<FailureType> = new Set(["worker_lost", "process_exited"]);

function liveError(job: Job): string | undefined {
  const { failure } = job;
  if (failure === undefined) return undefined;
  if (failure.reported !== undefined) return failure.reported;
  if (LOST.has(failure.type)) return timedOut(job);
  return EXCEPTIONS.has(failure.type) ? exceptionText(failure, job.workerId) : errorOf(job);
}

/** The exception as the live service's own workers report one: JSON in a text. */
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

/** The name that a stack begins with, for example `TypeError`. */
function errorType({ stack = "" }: Failure): string {
  return (
    /^(?:Uncaught )?([\p{ID_Start}$_][\p{ID_Continue}$.]*)(?=[:\n]|$)/u.exec(stack)?.[1] ?? "Error"
  );
}
