/** Schemas of jobs, their chunks and their counters. */
import { z } from "zod";
import { FAILURE_TYPES } from "../../../runtime/protocol/failure.ts";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import { ATTEMPT_OUTCOMES } from "../../core/jobs/attempt.ts";
import { type Member, VIEWS } from "../../core/jobs/job-members.ts";
import { JOB_KINDS } from "../../core/jobs/job.ts";
import { answered, anyJson, instant } from "./contract.ts";

const count = z.int().min(0);

const failureSchema = answered("Failure", {
  type: z.enum(FAILURE_TYPES),
  message: z.string().meta({ description: "One sentence that helps to find the cause." }),
  stack: z.string().optional(),
  workerId: z.string().optional(),
  exitCode: z.int().optional(),
  signal: z.string().optional(),
  outOfMemory: z.boolean().optional(),
  reported: z.string().optional(),
  lastLogLines: z.array(z.string()).optional(),
});

const attemptSchema = answered("Attempt", {
  number: z.int().min(1),
  outcome: z.enum(ATTEMPT_OUTCOMES),
  workerId: z.string().optional(),
  version: count
    .optional()
    .meta({ description: "Version of the endpoint that its worker served." }),
  queuedAt: instant(),
  workerStartedAt: instant()
    .optional()
    .meta({ description: "When the job's worker was started, if the job waited for it." }),
  pulledAt: instant().optional().meta({ description: "When that worker's program began to run." }),
  bootedAt: instant().optional().meta({ description: "When its first message arrived." }),
  readyAt: instant()
    .optional()
    .meta({ description: "When its handler was loaded and initialized." }),
  startedAt: instant().meta({ description: "Time of the hand-over." }),
  endedAt: instant().optional(),
  failure: failureSchema.optional(),
});

/** Any JSON. */
const TYPES: Readonly<Partial<Record<Member["type"], z.ZodType>>> = {
  integer: count,
  positive: z.int().min(1),
  instant: instant(),
  text: z.string(),
  flag: z.boolean(),
  endpoint: z.string(),
  status: z.enum(JOB_STATUSES),
  kind: z.enum(JOB_KINDS),
  failure: failureSchema,
  failureType: z.enum(FAILURE_TYPES),
  attempts: z.array(attemptSchema),
};

function shapeOf(members: readonly Member[]): Record<string, z.ZodType> {
  const schemas = members.map(({ as, type, optional, description }): [string, z.ZodType] => {
    const known = TYPES[type] ?? anyJson();
    const schema = optional ? known.optional() : known;
    return [as, description === undefined ? schema : schema.meta({ description })];
  });
  return Object.fromEntries(schemas);
}

/** A job as `/status` shows it. */
export const jobSchema = answered("Job", shapeOf(VIEWS.status));

export const jobStateSchema = jobSchema.pick({ id: true, status: true }).meta({ id: "JobState" });

export const jobSummariesSchema = answered("JobSummaries", {
  jobs: z.array(answered("JobSummary", shapeOf(VIEWS.summary))),
  next: z.string().optional().meta({ description: "`cursor` of the next page, if there is one." }),
  count: z
    .strictObject({
      jobs: count,
      more: z.boolean().meta({ description: "True: there may be more." }),
    })
    .optional(),
});

export const changedJobsSchema = answered("ChangedJobs", {
  matched: count.meta({ description: "Number of matching jobs that can be changed." }),
  done: count,
  refused: count.meta({ description: "Number of jobs that had changed meanwhile." }),
  more: z.boolean().meta({ description: "True: there may be more matching jobs." }),
  next: z
    .string()
    .optional()
    .meta({ description: "`cursor` of the next call, if there may be more." }),
});

const deletedAt = instant().meta({
  description: "When it was deleted, with its payloads, its chunks and its `webhook`.",
});

export const deletedJobsSchema = answered("DeletedJobs", {
  jobs: z.array(z.strictObject({ ...shapeOf(VIEWS.summary), deletedAt })),
});

export const jobDetailsSchema = answered("JobDetails", {
  ...shapeOf(VIEWS.details),
  deletedAt: deletedAt.optional(),
  input: anyJson().optional(),
  output: anyJson().optional(),
});

export const chunkSchema = z
  .looseObject({ output: anyJson(), metrics: z.looseObject({ stream_index: count.optional() }) })
  .meta({ id: "Chunk" });

/** An answer of `/stream` without a push. */
export const streamSchema = z.array(chunkSchema).meta({ id: "Stream" });

/** Chunks of one attempt. */
export const chunksSchema = answered("Chunks", {
  attempt: count.meta({
    description: "The attempt of the chunks. If it has changed, begin again at 0.",
  }),
  chunks: z.array(
    z.looseObject({ index: count, output: anyJson(), metrics: anyJson().optional() }),
  ),
  next: count.meta({ description: "`after` of the next call." }),
  isComplete: z
    .boolean()
    .meta({ description: "True: the job has ended, and these are its last chunks." }),
});

export const purgedSchema = answered("Purged", {
  removed: count,
  status: z.literal("completed"),
});

export const requestsSchema = answered("Requests", {
  requests: z.array(z.strictObject(shapeOf(VIEWS.request))),
  next: z.string().optional().meta({ description: "`after` of the next page, if there is one." }),
});

export const healthSchema = answered("Health", {
  jobs: z.strictObject({
    completed: count,
    failed: count,
    inProgress: count,
    inQueue: count,
    retried: count,
  }),
  workers: z.strictObject({
    idle: count,
    initializing: count,
    ready: count,
    running: count,
    throttled: count,
    unhealthy: count,
  }),
  problem: z.string().optional().meta({
    description:
      "Why workers do not start, or failed: a sentence, until one is ready. Absent below `/live`.",
  }),
});
