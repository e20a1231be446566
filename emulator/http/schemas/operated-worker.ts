/** Schemas of workers for operators. */
import { z } from "zod";
import { ATTEMPT_OUTCOMES } from "../../core/jobs/attempt.ts";
import { fields, flag } from "../../core/input/input-fields.ts";
import { LOG_LEVELS } from "../../core/observe/log/log-entry.ts";
import { LAUNCHER_KINDS, WORKER_ENDS, WORKER_STATES } from "../../core/workers/worker-life.ts";
import { answered, instant } from "./contract.ts";

const count = z.int().min(0);

const exitSchema = z.strictObject({
  message: z.string().meta({ description: "Its end: a sentence without its subject." }),
  exitCode: z.int().optional(),
  signal: z.string().optional(),
  outOfMemory: z.boolean(),
});

const lineSchema = z.strictObject({
  at: instant(),
  level: z.enum(LOG_LEVELS),
  message: z.string(),
  jobId: z.string().optional(),
});

const workerSchema = answered("OperatedWorker", {
  id: z.string(),
  endpointId: z.string(),
  version: z.int().meta({ description: "Version of the endpoint that it serves." }),
  state: z.enum(WORKER_STATES),
  launcher: z
    .enum([...LAUNCHER_KINDS, "external"])
    .meta({ description: "What it runs in; `external`: started outside of the service." }),
  frozen: z.boolean(),
  gpus: z.array(z.strictObject({ id: z.string(), typeId: z.string(), simulated: z.boolean() })),
  gpuMemory: z
    .array(
      z.strictObject({
        id: z.string(),
        usedBytes: count,
        totalBytes: count,
        busyPercent: count.optional(),
      }),
    )
    .optional()
    .meta({ description: "Use of its GPUs, from nvidia-smi; absent if unknown." }),
  startedAt: instant().meta({ description: "Its launcher got the order to start it." }),
  pulledAt: instant().optional().meta({ description: "Its program runs." }),
  bootedAt: instant().optional().meta({ description: "Its first message arrived." }),
  readyAt: instant().optional().meta({ description: "Its handler is loaded and initialized." }),
  drainingAt: instant()
    .optional()
    .meta({ description: "It was told to leave, or reported that it leaves." }),
  endedAt: instant().optional(),
  end: z.enum(WORKER_ENDS).optional(),
  exit: exitSchema.optional(),
  pid: z.int().optional(),
  container: z.string().optional(),
  pod: z.string().optional(),
  waitsFor: z
    .string()
    .optional()
    .meta({ description: "A sentence about a temporary obstacle to its start." }),
  memory: z
    .strictObject({
      stepMs: z.int(),
      endsAt: instant().meta({ description: "When the last sample was taken." }),
      bytes: z.array(count).meta({ description: "Oldest first, at most one hour." }),
    })
    .optional()
    .meta({ description: "Resident memory of its processes; absent for containers." }),
  jobs: z
    .array(z.strictObject({ jobId: z.string(), startedAt: instant() }))
    .meta({ description: "Its present jobs." }),
  past: z
    .array(
      z.strictObject({
        jobId: z.string(),
        startedAt: instant(),
        endedAt: instant(),
        outcome: z.enum([...ATTEMPT_OUTCOMES, "expired"]),
      }),
    )
    .meta({ description: "The newest 200, oldest first." }),
  lines: z.array(lineSchema).meta({ description: "The newest ones, oldest first." }),
});

export const workersSchema = answered("OperatedWorkers", { workers: z.array(workerSchema) });

export const freezeSchema = fields({ frozen: flag() });

export const operatedSchema = answered("OperatedOn", { id: z.string(), frozen: z.boolean() });
