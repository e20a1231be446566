/** Which members a job has as JSON, in their order: what the declaration of its fields says of that. */
import { type Field, FIELDS, type FieldTypes, type Job } from "./job.ts";

export interface Member extends Pick<Field, "optional" | "description" | "shown"> {
  /** The field's own name. */
  readonly name: string;
  /** That in JSON. */
  readonly as: string;
  readonly type: keyof FieldTypes | "positive" | "json";
  /** Undefined: left out. */
  readonly valueOf: (job: Job) => unknown;
}

/** What `/status` shows that is no field. */
const BESIDE = {
  /** What the handler returned; while the job runs, the last [progress](handlers.md#progress) value (spec; progress is live). */
  output: {
    name: "output",
    as: "output",
    type: "json",
    optional: true,
    description: "What the handler returned, or its last progress value while it runs.",
    // Its bytes are put in as they are.
    valueOf: () => undefined,
  },
  /** Of a job that failed or timed out: why, in one sentence (live). */
  error: {
    name: "error",
    as: "error",
    type: "text",
    optional: true,
    description: "Why the job failed.",
    valueOf: (job) => job.failure && errorOf(job),
  },
} as const satisfies Record<string, Member>;

export const OUTPUT: Member = BESIDE.output;

const SHOWN = FIELDS.filter(({ shown }) => shown).map((field): Member => {
  const { name, type } = field;
  return {
    ...field,
    as: field.as ?? name.replace(/Ms$/, ""),
    valueOf: type === "instant" ? (job) => iso(job[name]) : (job) => job[name],
  };
});

/** What `/status` shows. */
export const STATUS_MEMBERS: readonly Member[] = SHOWN.filter(
  ({ shown }) => shown === "status",
).flatMap(inStatus);

/** What those who operate the service are shown: all but the payloads, and but `s3Config`, which has secrets. */
export const DETAIL_MEMBERS: readonly Member[] = SHOWN.toSorted(
  (one, other) => Number(one.name === "failure") - Number(other.name === "failure"),
);

const IN_LISTS = [
  ...["id", "endpointId", "status", "submittedAt", "delayTimeMs", "executionTimeMs", "workerId"],
];

/** What a list of jobs of all endpoints shows of each. */
export const LISTED_MEMBERS: readonly Member[] = [
  ...SHOWN.filter(({ name }) => IN_LISTS.includes(name)),
  { ...BESIDE.error, valueOf: (job) => job.failure?.message },
];

/** What a list of an endpoint's jobs shows of each. */
export const REQUEST_MEMBERS: readonly Member[] = LISTED_MEMBERS.filter(
  ({ name }) => name !== "endpointId" && name !== "error",
);

export function objectOf(members: readonly Member[], job: Job): Record<string, unknown> {
  return Object.fromEntries(members.map(({ as, valueOf }) => [as, valueOf(job)]));
}

/** The live service names a job whose worker was lost too often by its retries; `failure` says the rest. */
export function errorOf(job: Job): string {
  return job.failure?.type === "worker_lost" ? timedOut(job) : (job.failure?.message ?? "");
}

export function timedOut({ retries }: Pick<Job, "retries">): string {
  return `job timed out after ${retries} retries`;
}

function inStatus(member: Member): readonly Member[] {
  switch (member.name) {
    case "failure":
      return [BESIDE.output, BESIDE.error, member];
    case "retries":
      return [
        {
          ...member,
          type: "positive",
          optional: true,
          valueOf: ({ retries }) => retries || undefined,
        },
      ];
    default:
      return [member];
  }
}

function iso(at: unknown): string | undefined {
  return typeof at === "number" ? new Date(at).toISOString() : undefined;
}
