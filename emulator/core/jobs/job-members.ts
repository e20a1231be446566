/** The members of a job in JSON, in their order, made from the declaration of its fields. */
import type { Attempt } from "./attempt.ts";
import { attemptsLeftOut, attemptsOf } from "./job-attempts.ts";
import { FIELDS, type FieldTypes, type Job, type JobField } from "./job.ts";

export interface Member {
  readonly name: string;
  /** Name in JSON. */
  readonly as: string;
  readonly type: keyof FieldTypes | "failureType" | "positive" | "json";
  readonly optional: boolean;
  /** For the OpenAPI document. */
  readonly description: string | undefined;
  /** The field that the member shows, or that it depends on. */
  readonly of?: keyof Job;
  /** Undefined: the member is left out. Default: the field as it is. */
  readonly compute?: (job: Job) => unknown;
}

/** Members of `/status` that are not fields. */
const BESIDE = {
  /** What the handler returned; while the job runs, the last [progress](handlers.md#progress) value (spec; progress is live). */
  output: beside(
    "output",
    "json",
    "What the handler returned, or its last progress value while it runs.",
    // The bytes are inserted unchanged.
    () => undefined,
  ),
  /** Why the job failed or timed out, in one sentence (live). */
  error: {
    ...beside("error", "text", "Why the job failed.", errorOf),
    of: "failure" as const,
  },
  errorType: beside("errorType", "failureType", "What went wrong.", (job) => job.failure?.type),
};

/** Members of the operators' pages that are not fields. */
const OF_ATTEMPTS: readonly Member[] = [
  beside(
    "attempts",
    "attempts",
    "All attempts, oldest first; the first and the newest if there are more than 20.",
    (job) => attemptsOf(job).map(shownAttempt),
  ),
  beside(
    "attemptsLeftOut",
    "positive",
    "Number of attempts that are left out.",
    (job) => attemptsLeftOut(job) || undefined,
  ),
];

export const { output: OUTPUT } = BESIDE;

const MEMBERS = FIELDS.filter(({ status, details }) => status ?? details).map(memberOf);

const IN_LISTS = ["id", "status", "submittedAt", "delayTime", "executionTime", "workerId"];
const IN_SUMMARIES = ["endpointId", "startedAt", "endedAt", "attempt", "version"];

export const VIEWS = {
  status: MEMBERS.filter((member) => member.status).flatMap(inStatus),
  /** Members of the operators' pages: everything but the payloads and `s3Config`, which has secrets. */
  details: [...MEMBERS.toSorted((one, other) => atEnd(one) - atEnd(other)), ...OF_ATTEMPTS],
  request: MEMBERS.filter(({ as }) => IN_LISTS.includes(as)),
  summary: [
    ...MEMBERS.filter(({ as }) => [...IN_LISTS, ...IN_SUMMARIES].includes(as)),
    BESIDE.errorType,
    { ...BESIDE.error, compute: (job: Job) => job.failure?.message },
  ],
} as const satisfies Record<string, readonly Member[]>;

/**
 * The error text of a job. If its worker was lost too often, the text names the retries, as on the live service; `failure` has
 * the rest.
 */
export function errorOf(job: Job): string {
  return job.failure?.type === "worker_lost" ? timedOut(job) : (job.failure?.message ?? "");
}

export function timedOut({ retries }: Pick<Job, "retries">): string {
  return `job timed out after ${retries} retries`;
}

function memberOf(field: JobField) {
  const { name, type, as = name.replace(/Ms$/, ""), status, details } = field;
  const text = status ?? details;
  const description = typeof text === "string" ? text : undefined;
  const member = { ...field, as, of: name, description };
  return type === "instant" ? { ...member, compute: (job: Job) => iso(job[name]) } : member;
}

function inStatus(member: Member): readonly Member[] {
  if (member.name === "failure") return [BESIDE.output, BESIDE.error, member];
  if (member.name !== "retries") return [member];
  return [{ ...member, type: "positive", optional: true }];
}

function atEnd({ name }: Member): number {
  return name === "failure" ? 1 : 0;
}

function beside(
  as: string,
  type: Member["type"],
  description: string,
  compute: (job: Job) => unknown,
): Member {
  return { name: as, as, type, optional: true, description, compute };
}

function shownAttempt(attempt: Attempt): Record<string, unknown> {
  const { queuedAt, workerStartedAt, pulledAt, bootedAt, readyAt, startedAt, endedAt, ...rest } =
    attempt;
  const { number, outcome, workerId, version, failure } = rest;
  const moments = { queuedAt, workerStartedAt, pulledAt, bootedAt, readyAt, startedAt, endedAt };
  const shown = Object.entries(moments).map(([name, at]): [string, unknown] => [name, iso(at)]);
  return { number, outcome, workerId, version, ...Object.fromEntries(shown), failure };
}

function iso(at: unknown): string | undefined {
  return typeof at === "number" ? new Date(at).toISOString() : undefined;
}
