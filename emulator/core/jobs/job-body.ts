/** A job as JSON, around its raw output: `/status`, `/runsync`, the end of a stream and webhooks show it so. */
import type { Job } from "./job.ts";
import type { ShownPayload } from "./opened-payload.ts";

/** The texts around a job's raw output; a brace closes the object they begin. */
export interface JobFrame {
  readonly head: string;
  readonly tail: string;
}

/** The whole of it. The output's bytes are put in as they are. */
export function framed<P extends ShownPayload>(
  { head, tail }: JobFrame,
  output: P | undefined,
): readonly (string | P)[] {
  return output === undefined ? [`${head}${tail}}`] : [`${head},"output":`, output, `${tail}}`];
}

/** `{id, status, delayTime, executionTime, output, error, failure, workerId, retries}` as far as they are known. */
export function jobFrame(job: Job): JobFrame {
  const { delayTimeMs, executionTimeMs } = job;
  let head = `{"id":${JSON.stringify(job.id)},"status":"${job.status}"`;
  if (delayTimeMs !== undefined) head += `,"delayTime":${delayTimeMs}`;
  if (executionTimeMs !== undefined) head += `,"executionTime":${executionTimeMs}`;
  return { head, tail: endOf(job) };
}

/** `{id, status}` and nothing else. */
export function jobStatePieces({ id, status }: Pick<Job, "id" | "status">): readonly string[] {
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
export function errorOf(job: Job): string {
  return job.failure?.type === "worker_lost" ? timedOut(job) : (job.failure?.message ?? "");
}

export function timedOut({ retries }: Pick<Job, "retries">): string {
  return `job timed out after ${retries} retries`;
}
