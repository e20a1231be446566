/** A job as JSON with its raw output, as `/status`, `/runsync`, the end of a stream and webhooks show it. */
import { type Member, OUTPUT, VIEWS } from "./job-members.ts";
import type { Job } from "./job.ts";
import type { ShownPayload } from "./opened-payload.ts";

/** The texts before and after the raw output; they form one object. */
export interface JobFrame {
  readonly head: string;
  readonly tail: string;
}

/** The whole body. The output's bytes are inserted unchanged. */
export function framed<P extends ShownPayload>(
  { head, tail }: JobFrame,
  output: P | undefined,
): readonly (string | P)[] {
  return output === undefined ? [`${head}${tail}}`] : [`${head},"output":`, output, `${tail}}`];
}

/** `{id, status, delayTime, executionTime, output, error, failure, workerId, retries}` without unknown members. */
export const jobFrame = frameOf(VIEWS.status);

/** Returns a function that makes the frame of a job from these members; one of them is `OUTPUT`. */
export function frameOf(members: readonly Member[]): (job: Job) => JobFrame {
  const at = members.indexOf(OUTPUT);
  const [before, behind] = [members.slice(0, at), members.slice(at + 1)];
  return (job) => ({ head: `{${textOf(before, job).slice(1)}`, tail: textOf(behind, job) });
}

/** Each member begins with a comma. */
function textOf(members: readonly Member[], job: Job): string {
  let text = "";
  for (const member of members) {
    const value = valueOf(job, member);
    if (value !== undefined) text += `,"${member.as}":${JSON.stringify(value)}`;
  }
  return text;
}

export function objectOf(job: Job, members: readonly Member[]): Record<string, unknown> {
  return Object.fromEntries(members.map((member) => [member.as, valueOf(job, member)]));
}

/** The value of the member; undefined if it is left out. */
function valueOf(job: Job, { of, type, compute }: Member): unknown {
  const field = of && job[of];
  const isNone = field === undefined || (type === "positive" && field === 0);
  if (of !== undefined && isNone) return undefined;
  return compute ? compute(job) : field;
}

/** The body `{id, status}`. */
export function jobStatePieces({ id, status }: Pick<Job, "id" | "status">): readonly string[] {
  return [`{"id":${JSON.stringify(id)},"status":"${status}"}`];
}
