/** A job as JSON, around its raw output: `/status`, `/runsync`, the end of a stream and webhooks show it so. */
import { type Member, OUTPUT, VIEWS } from "./job-members.ts";
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
export const jobFrame = frameOf(VIEWS.status);

/** What makes the frame of a job with these members, of which one is `OUTPUT`. */
export function frameOf(members: readonly Member[]): (job: Job) => JobFrame {
  const at = members.indexOf(OUTPUT);
  const [before, behind] = [members.slice(0, at), members.slice(at + 1)];
  return (job) => ({ head: `{${textOf(before, job).slice(1)}`, tail: textOf(behind, job) });
}

/** Each with a comma before it. */
function textOf(members: readonly Member[], job: Job): string {
  let text = "";
  for (const { as, valueOf } of members) {
    const value = valueOf(job);
    if (value !== undefined) text += `,"${as}":${JSON.stringify(value)}`;
  }
  return text;
}

/** `{id, status}` and nothing else. */
export function jobStatePieces({ id, status }: Pick<Job, "id" | "status">): readonly string[] {
  return [`{"id":${JSON.stringify(id)},"status":"${status}"}`];
}
