/** The parts of the emulator's answers that the commands read; `--json` prints the answers whole. */
import { z } from "zod";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import { ATTEMPT_OUTCOMES } from "../../core/jobs/attempt.ts";

const jobSchema = z.looseObject({
  id: z.string(),
  endpointId: z.string(),
  status: z.string(),
  submittedAt: z.string(),
  delayTime: z.number().optional(),
  executionTime: z.number().optional(),
  workerId: z.string().optional(),
  version: z.number().optional(),
  error: z.string().optional(),
});

export const jobsSchema = z.looseObject({
  jobs: z.array(jobSchema),
  next: z.string().optional(),
});
export const deletedJobsSchema = z.looseObject({ jobs: z.array(jobSchema) });

const failureSchema = z.looseObject({
  type: z.string(),
  message: z.string(),
  stack: z.string().optional(),
  workerId: z.string().optional(),
  exitCode: z.number().optional(),
  signal: z.string().optional(),
  outOfMemory: z.boolean().optional(),
  lastLogLines: z.array(z.string()).optional(),
});
export type ShownFailure = z.infer<typeof failureSchema>;

const attemptSchema = z.looseObject({
  number: z.number(),
  outcome: z.enum(ATTEMPT_OUTCOMES),
  workerId: z.string().optional(),
  version: z.number().optional(),
  queuedAt: z.string(),
  workerStartedAt: z.string().optional(),
  pulledAt: z.string().optional(),
  bootedAt: z.string().optional(),
  readyAt: z.string().optional(),
  startedAt: z.string(),
  endedAt: z.string().optional(),
  failure: failureSchema.optional(),
});
export type ShownAttempt = z.infer<typeof attemptSchema>;

export const jobDetailsSchema = jobSchema.extend({
  kind: z.string(),
  queuedAt: z.string(),
  startedAt: z.string().optional(),
  endedAt: z.string().optional(),
  expiresAt: z.string(),
  ttlPinned: z.boolean().optional(),
  deletedAt: z.string().optional(),
  attempt: z.number(),
  retries: z.number(),
  executionTimeout: z.number(),
  lowPriority: z.boolean(),
  chunks: z.number(),
  webhook: z.string().optional(),
  traceparent: z.string().optional(),
  failure: failureSchema.optional(),
  attempts: z.array(attemptSchema).default([]),
  attemptsLeftOut: z.number().optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
});
export type ShownJob = z.infer<typeof jobDetailsSchema>;

export const jobStateSchema = z.looseObject({ id: z.string(), status: z.enum(JOB_STATUSES) });
export const ticketSchema = z.looseObject({ ticket: z.string() });
export const purgedSchema = z.looseObject({ removed: z.number() });

const workerSchema = z.looseObject({
  id: z.string(),
  desiredStatus: z.string(),
  lastStartedAt: z.string(),
  image: z.string().optional(),
  gpu: z.looseObject({ id: z.string(), count: z.number() }).optional(),
});

export const endpointsSchema = z.array(
  z.looseObject({
    id: z.string(),
    type: z.string(),
    version: z.number(),
    workersMin: z.number(),
    workersMax: z.number(),
    workers: z.array(workerSchema).optional(),
  }),
);

const count = z.number();
export const healthSchema = z.looseObject({
  jobs: z.looseObject({ inQueue: count, inProgress: count, completed: count, failed: count }),
  workers: z.looseObject({ idle: count, running: count, initializing: count, unhealthy: count }),
});

export const clockSchema = z.looseObject({
  now: z.string(),
  offsetMs: z.number(),
  heldBackMs: z.number().optional(),
  nextDueAt: z.string().nullable(),
  due: z
    .array(z.looseObject({ at: z.string(), what: z.string(), id: z.string().optional() }))
    .optional(),
  /** Of an advance. */
  settled: z.boolean().optional(),
  underWay: z.array(z.string()).optional(),
});
export type ShownClock = z.infer<typeof clockSchema>;

export const deliverySchema = z.looseObject({
  id: z.string(),
  jobId: z.string(),
  endpointId: z.string(),
  jobStatus: z.string(),
  url: z.string(),
  state: z.string(),
  createdAt: z.string(),
  tries: z.array(
    z.looseObject({
      at: z.string(),
      durationMs: z.number(),
      status: z.number().optional(),
      error: z.string().optional(),
      warning: z.string().optional(),
    }),
  ),
  nextTryAt: z.string().optional(),
});
export type ShownDelivery = z.infer<typeof deliverySchema>;

export const deliveriesSchema = z.looseObject({
  deliveries: z.array(deliverySchema),
  next: z.string().optional(),
});

export const deliveryWithRequestSchema = deliverySchema.extend({
  request: z.looseObject({
    method: z.string(),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.unknown(),
  }),
});
export type ShownDeliveryWithRequest = z.infer<typeof deliveryWithRequestSchema>;

/** A line of the log as `/emulator/logs` has it. */
export const logLineSchema = z.looseObject({
  time: z.string(),
  level: z.enum(["debug", "info", "warn", "error"]),
  msg: z.string(),
  source: z.enum(["handler", "worker"]).optional(),
  endpointId: z.string().optional(),
  workerId: z.string().optional(),
  jobId: z.string().optional(),
  stream: z.enum(["stdout", "stderr"]).optional(),
});

export const replicasSchema = z.looseObject({
  answeredBy: z.string(),
  replicas: z.array(
    z.looseObject({
      id: z.string(),
      address: z.string().optional(),
      version: z.string(),
      startedAt: z.string(),
      leaseEndsAt: z.string().optional(),
      clockAheadMs: z.number().optional(),
      partitions: z.array(count).optional(),
      endpoints: count,
      workers: count.optional(),
      running: count.optional(),
    }),
  ),
  unowned: z.array(count),
});

const keySchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  scope: z.string(),
  endpointIds: z.array(z.string()).optional(),
  createdAt: z.string(),
  expiresAt: z.string().optional(),
  lastUsedAt: z.string().optional(),
});
export type ShownKey = z.infer<typeof keySchema>;

export const keysSchema = z.looseObject({ keys: z.array(keySchema) });
export const madeKeySchema = keySchema.extend({
  key: z.string(),
  workerAddresses: z.array(z.string()).optional(),
});

export const auditSchema = z.looseObject({
  entries: z.array(
    z.looseObject({
      at: z.string(),
      keyName: z.string(),
      client: z.string(),
      operation: z.string(),
      subject: z.string(),
      status: z.number(),
    }),
  ),
});
