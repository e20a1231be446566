/** Jobs as the emulator's own operations answer them. */
import { z } from "zod";
import { answered, anyJson, instant } from "./contract.ts";
import { failureSchema, jobSchema } from "./job.ts";

const { id, status, delayTime, executionTime, workerId, error } = jobSchema.shape;
const count = z.int().min(0);

const summary = {
  id,
  endpointId: z.string(),
  status,
  submittedAt: instant(),
  delayTime,
  executionTime,
  workerId,
};

export const jobSummariesSchema = answered("JobSummaries", {
  jobs: z.array(z.strictObject({ ...summary, error })),
});

export const jobDetailsSchema = answered("JobDetails", {
  ...summary,
  kind: z.enum(["async", "sync"]),
  startedAt: instant().optional(),
  endedAt: instant().optional(),
  expiresAt: instant().meta({ description: "When its time to live ends." }),
  attempt: count.meta({ description: "Times it was handed to a worker." }),
  retries: count,
  executionTimeout: count.meta({ description: "ms" }),
  lowPriority: z.boolean(),
  chunks: count.meta({ description: "Chunks stored of the current attempt." }),
  webhook: z.string().optional(),
  traceparent: z.string().optional(),
  failure: failureSchema.optional(),
  input: anyJson().optional(),
  output: anyJson().optional(),
});
