/** A job as JSON, around its raw output: `/status`, `/runsync` and the end of a stream show it so. */
import type { Job } from "../../core/job.ts";
import type { JobView } from "../../engine/job-view.ts";
import type { Piece } from "../answer.ts";

/**
 * `{id, status, delayTime, executionTime, output, error, failure, workerId, retries}` as far as they are known. The
 * output's bytes are put in as they are.
 */
export function jobPieces({ job, output }: JobView): readonly Piece[] {
  const { delayTimeMs, executionTimeMs } = job;
  let head = `{"id":${JSON.stringify(job.id)},"status":"${job.status}"`;
  if (delayTimeMs !== undefined) head += `,"delayTime":${delayTimeMs}`;
  if (executionTimeMs !== undefined) head += `,"executionTime":${executionTimeMs}`;
  const tail = `${endOf(job)}}`;
  return output === undefined ? [head + tail] : [`${head},"output":`, output, tail];
}

/** `{id, status}` and nothing else. */
export function jobStatePieces({ id, status }: Pick<Job, "id" | "status">): readonly Piece[] {
  return [`{"id":${JSON.stringify(id)},"status":"${status}"}`];
}

function endOf(job: Job): string {
  let text = "";
  if (job.failure !== undefined) {
    text += `,"error":${JSON.stringify(errorOf(job))},"failure":${JSON.stringify(job.failure)}`;
  }
  if (job.workerId !== undefined) text += `,"workerId":${JSON.stringify(job.workerId)}`;
  if (job.retries > 0) text += `,"retries":${job.retries}`;
  return text;
}

/** The live service names a job whose worker was lost too often by its retries; `failure` says the rest. */
function errorOf(job: Job): string {
  if (job.failure?.type === "worker_lost") return `job timed out after ${job.retries} retries`;
  return job.failure?.message ?? "";
}
