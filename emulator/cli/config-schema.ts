/** What a config may say: every key with its bounds, as a schema whose errors are sentences. */
import { z } from "zod";
import { COMPUTE_TYPES, ENDPOINT_TYPES, SCALER_TYPES } from "../core/endpoint.ts";
import { GPU_SETTING_RULE, isGpuSetting, MOST_OF_A_TYPE } from "../core/gpu-declaration.ts";
import { LIMIT_MODES } from "../core/rate-limit.ts";
import { valueInWords } from "../core/problem-words.ts";
import { DOCKER_MODES, S3_OFF } from "./settings.ts";
import { LIMITS } from "../../runtime/protocol/limits.ts";

const MAX_WORKERS = 1_000;
const MAX_RETRIES = 100;
const MAX_GPUS = 1_000;
/** In seconds, as published for the service. */
const MAX_IDLE_TIMEOUT = 3_600;

const retries = z.strictObject(
  {
    workerLost: integer(0, MAX_RETRIES).exactOptional(),
    handlerError: integer(0, MAX_RETRIES).exactOptional(),
  },
  { error: must("be an object") },
);

const endpoint = z.strictObject(
  {
    handler: text("be the path of a handler file or of a directory with one"),
    type: z
      .enum(ENDPOINT_TYPES, { error: must(`be ${ENDPOINT_TYPES.join(" or ")}`) })
      .exactOptional(),
    env: z
      .record(z.string(), z.string({ error: must("be a string") }), { error: must("be an object") })
      .exactOptional(),
    volume: text("be the path of a directory").exactOptional(),
    workersMin: integer(0, MAX_WORKERS).exactOptional(),
    workersMax: integer(0, MAX_WORKERS).exactOptional(),
    idleTimeout: integer(1, MAX_IDLE_TIMEOUT, " (seconds)").exactOptional(),
    scalerType: z
      .enum(SCALER_TYPES, { error: must(`be ${SCALER_TYPES.join(" or ")}`) })
      .exactOptional(),
    scalerValue: integer(1, 1_000_000).exactOptional(),
    executionTimeoutMs: integer(
      LIMITS.executionTimeoutMinMs,
      LIMITS.executionTimeoutMaxMs,
    ).exactOptional(),
    retries: retries.exactOptional(),
    requestsPerWorker: integer(1, 1_000_000).exactOptional(),
    computeType: z
      .enum(COMPUTE_TYPES, { error: must(`be ${COMPUTE_TYPES.join(" or ")}`) })
      .exactOptional(),
    gpuTypeIds: z
      .array(text("be the name of a GPU type"), { error: must("be an array of GPU type names") })
      .exactOptional(),
    gpuCount: integer(1, MAX_GPUS).exactOptional(),
  },
  { error: must("be an object") },
);

const GPUS_RULE = `${GPU_SETTING_RULE}, or a list of objects`;

const declaredGpus = z.strictObject(
  {
    type: text("be the name of a GPU type"),
    count: integer(1, MOST_OF_A_TYPE).exactOptional(),
    memoryGb: positive(" (GiB)").exactOptional(),
  },
  { error: must('be an object like {"type": "NVIDIA L4", "count": 2}') },
);

export const configSchema = z.strictObject(
  {
    endpoints: z.record(z.string(), endpoint, { error: must("be an object, endpoints by id") }),
    port: integer(0, 65_535).exactOptional(),
    host: text("be a host name or an address").exactOptional(),
    s3Port: z
      .union([z.literal(S3_OFF), integer(0, 65_535)], {
        error: must(`be an integer from 0 to 65535, or "${S3_OFF}"`),
      })
      .exactOptional(),
    dataDir: text("be the path of a directory").exactOptional(),
    limits: z.enum(LIMIT_MODES, { error: must(`be ${LIMIT_MODES.join(", ")}`) }).exactOptional(),
    gpus: z
      .union([z.array(declaredGpus), text(GPUS_RULE).refine(isGpuSetting)], {
        error: must(GPUS_RULE),
      })
      .exactOptional(),
    docker: z
      .enum(DOCKER_MODES, { error: must(`be ${DOCKER_MODES.join(" or ")}`) })
      .exactOptional(),
  },
  { error: must("be an object") },
);

export type WrittenConfig = z.infer<typeof configSchema>;
export type WrittenEndpoint = z.infer<typeof endpoint>;

/** The keys allowed at a place in a config: the root, an endpoint, its retries, or the GPUs. */
export function knownKeysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(configSchema.shape);
  if (path[0] === "gpus") return Object.keys(declaredGpus.shape);
  return Object.keys((path.length === 2 ? endpoint : retries).shape);
}

function must(what: string): (issue: z.core.$ZodRawIssue) => string {
  return ({ input }) => `must ${what}; got ${valueInWords(input)}`;
}

function text(what: string): z.ZodString {
  const error = must(what);
  return z.string({ error }).min(1, { error });
}

function integer(min: number, max: number, unit = ""): z.ZodInt {
  const error = must(`be an integer from ${min} to ${max}${unit}`);
  return z.int({ error }).min(min, { error }).max(max, { error });
}

function positive(unit: string): z.ZodNumber {
  const error = must(`be a number above 0${unit}`);
  return z.number({ error }).gt(0, { error });
}
