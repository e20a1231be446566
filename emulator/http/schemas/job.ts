/** Jobs, their chunks and their counters as the job interface answers them. */
import { z } from "zod";
import { FAILURE_TYPES } from "../../../runtime/protocol/failure.ts";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import { answered, anyJson, instant } from "./contract.ts";

const id = z.string().meta({ description: "`sync-` stands before those of `/runsync`." });
const status = z.enum(JOB_STATUSES);
const count = z.int().min(0);
const durationMs = z.int().min(0);

export const failureSchema = answered("Failure", {
  type: z.enum(FAILURE_TYPES),
  message: z.string().meta({ description: "One sentence a person can act on." }),
  stack: z.string().optional(),
  workerId: z.string().optional(),
  exitCode: z.int().optional(),
  signal: z.string().optional(),
  outOfMemory: z.boolean().optional(),
  reported: z.string().optional(),
  lastLogLines: z.array(z.string()).optional(),
});

/** A job as `/status` shows it. */
export const jobSchema = answered("Job", {
  id,
  status,
  delayTime: durationMs.optional().meta({ description: "From the queue to a worker, ms." }),
  executionTime: durationMs.optional().meta({ description: "From the worker to its end, ms." }),
  output: anyJson()
    .optional()
    .meta({ description: "What the handler returned, or its last progress value while it runs." }),
  error: z.string().optional().meta({ description: "Why the job failed." }),
  failure: failureSchema.optional(),
  workerId: z.string().optional(),
  retries: z.int().min(1).optional(),
});

/** No more than where the job stands. */
export const jobStateSchema = answered("JobState", { id, status });

export const chunkSchema = z
  .looseObject({ output: anyJson(), metrics: z.looseObject({ stream_index: count.optional() }) })
  .meta({ id: "Chunk" });

/** What `/stream` answers when it does not push. */
export const streamSchema = z.array(chunkSchema).meta({ id: "Stream" });

export const purgedSchema = answered("Purged", {
  removed: count,
  status: z.literal("completed"),
});

/** A page of `/requests`. */
export const requestsSchema = answered("Requests", {
  requests: z.array(
    z.strictObject({
      id,
      status,
      submittedAt: instant(),
      delayTime: durationMs.optional(),
      executionTime: durationMs.optional(),
      workerId: z.string().optional(),
    }),
  ),
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
});
