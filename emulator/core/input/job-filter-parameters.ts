/** Reads a filter of jobs: from the parameters of a query, or from the fields of a body. */
import { z } from "zod";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import type { JobFilter } from "../jobs/job-filter.ts";
import { JOB_KINDS } from "../jobs/job.ts";
import { defined } from "../../../runtime/protocol/without-undefined.ts";
import { fields, integer, must, oneOf, readFields } from "./input-fields.ts";
import { endpointIdParameter, integerParameter } from "./query-parameters.ts";

const SEARCH_MAX_CHARACTERS = 200;

const duration = () => integerParameter(0, Number.MAX_SAFE_INTEGER, " (ms)").optional();

/** An absent field matches every job. */
export const jobFilterShape = {
  endpointId: endpointIdParameter,
  status: statuses().optional().meta({ description: "Only jobs with one of these statuses." }),
  since: moment().optional().meta({ description: "Only jobs submitted at this moment or later." }),
  until: moment().optional().meta({ description: "Only jobs submitted before this moment." }),
  search: z
    .string({ error: must("a text") })
    .max(SEARCH_MAX_CHARACTERS, { error: `must be at most ${SEARCH_MAX_CHARACTERS} characters` })
    .optional()
    .meta({
      description:
        "The beginning (with or without `sync-`) or the end of an id, or a part of the failure's type or message; case does not matter.",
    }),
  kind: oneOf(JOB_KINDS).optional().meta({ description: "How the jobs were submitted." }),
  minDelay: duration().meta({ description: "Only jobs with at least this `delayTime`, ms." }),
  minExecution: duration().meta({
    description: "Only jobs with at least this `executionTime`, ms.",
  }),
};

const jobFilterSchema = fields(jobFilterShape);

export function toJobFilter(written: z.infer<typeof jobFilterSchema>): JobFilter {
  const { endpointId, status, since, until, kind, minDelay, minExecution } = written;
  const search = written.search?.trim().toLowerCase();
  return defined({
    endpointId,
    statuses: status?.length === 0 ? undefined : status,
    since,
    until,
    kind,
    minDelayMs: minDelay,
    minExecutionMs: minExecution,
    search: search === "" ? undefined : search,
  });
}

const cursorError = "must be the `next` of the previous answer";

/** Cursor at the end of a page; opaque to clients. */
export const cursorParameter = z
  .string({ error: cursorError })
  .regex(/^j[0-9a-z]{1,10}$/, { error: cursorError })
  .optional()
  .meta({ description: "The `next` of the previous answer." });

/** The `beforeSeq` that a cursor stands for. */
export function fromCursor(cursor: string | undefined): number | undefined {
  return cursor === undefined ? undefined : Number.parseInt(cursor.slice(1), 36);
}

export function toCursor(seq: number | undefined): string | undefined {
  return seq === undefined ? undefined : `j${seq.toString(36)}`;
}

const CHANGED_MAX = 1_000;

const matchingShape = {
  filter: jobFilterSchema.meta({ description: "Which jobs; `{}` for all." }),
  max: integer(1, CHANGED_MAX)
    .default(CHANGED_MAX)
    .meta({ description: "Maximum number of jobs to change." }),
  cursor: cursorParameter,
};

export const matchingSchema = fields(matchingShape);

/** @throws ServiceError `invalid_request` */
export function readMatching(body: unknown) {
  const { filter, ...bounds } = readFields(matchingSchema, Object.keys(matchingShape), body);
  return { ...bounds, filter: toJobFilter(filter) };
}

/** One value, several with commas between them, or a list. */
function statuses() {
  const split = (value: unknown) =>
    [value]
      .flat()
      .flatMap((item): unknown[] =>
        typeof item === "string" ? item.split(",").filter((part) => part !== "") : [item],
      );
  const item = z.enum(JOB_STATUSES, { error: must(`one of ${JOB_STATUSES.join(", ")}`) });
  return z.preprocess(split, z.array(item));
}

/** ISO 8601 or ms since 1970. */
function moment() {
  const error = must("an instant in ISO 8601, or ms since 1970");
  const read = (value: unknown) => {
    if (typeof value !== "string") return value;
    if (/^\d{1,15}$/.test(value)) return Number(value);
    return /^\d{4}-\d\d/.test(value) ? Date.parse(value) : value;
  };
  return z.preprocess(read, z.int({ error }).min(0, { error })).meta({ override: alsoInIso });
}

/** Adds the string form to the schema. */
function alsoInIso({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  delete jsonSchema["minimum"];
  delete jsonSchema["maximum"];
  delete jsonSchema["type"];
  jsonSchema["anyOf"] = [
    { type: "string", format: "date-time" },
    { type: "integer", minimum: 0 },
  ];
}
