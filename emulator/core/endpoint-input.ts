/** What a client sends to create an endpoint, checked and with its defaults filled in (source: spec; `retries` is ours). */
import { LIMITS } from "../../runtime/protocol/limits.ts";
import { COMPUTE_TYPES, SCALER_TYPES, type Endpoint } from "./endpoint.ts";
import {
  arrayOf,
  fields,
  flag,
  integer,
  NAME_MAX_CHARACTERS,
  nonEmptyText,
  oneOf,
  readFields,
  text,
  texts,
  textsOrCommas,
} from "./input-fields.ts";
import { DEFAULT_RETRY_RULES } from "./job.ts";

export interface EndpointInput extends Omit<Endpoint, "id" | "name" | "version" | "createdAt"> {
  /** Absent: the template's name. */
  readonly name?: string | undefined;
}

const CPU_FLAVORS = ["cpu3c", "cpu3g", "cpu5c", "cpu5g"] as const;
const CUDA_VERSION = /^\d{1,2}\.\d{1,2}$/;
const DATA_CENTER = /^[A-Za-z0-9-]{1,32}$/;
const MAX_RETRIES = 100;

const schema = fields({
  name: nonEmptyText(NAME_MAX_CHARACTERS).optional(),
  templateId: nonEmptyText(NAME_MAX_CHARACTERS),
  computeType: oneOf(COMPUTE_TYPES).default("GPU"),
  gpuTypeIds: texts().default([]),
  gpuCount: integer(1).default(1),
  cpuFlavorIds: arrayOf(oneOf(CPU_FLAVORS)).optional(),
  vcpuCount: integer(1).optional(),
  allowedCudaVersions: textsOrCommas(CUDA_VERSION, "a version like 12.8").optional(),
  minCudaVersion: text().regex(CUDA_VERSION, { error: "must be a version like 12.8" }).optional(),
  dataCenterIds: textsOrCommas(DATA_CENTER, "a data centre like EU-RO-1").optional(),
  networkVolumeId: text().optional(),
  networkVolumeIds: texts().optional(),
  scalerType: oneOf(SCALER_TYPES).default("QUEUE_DELAY"),
  scalerValue: integer(1).default(4),
  idleTimeout: integer(1, 3_600, " (seconds)").default(5),
  executionTimeoutMs: integer(
    LIMITS.executionTimeoutMinMs,
    LIMITS.executionTimeoutMaxMs,
    " (ms)",
  ).default(LIMITS.executionTimeoutDefaultMs),
  workersMin: integer(0).default(0),
  workersMax: integer(0).default(3),
  flashboot: flag().optional(),
  retries: fields({
    workerLost: integer(0, MAX_RETRIES).default(DEFAULT_RETRY_RULES.workerLost),
    handlerError: integer(0, MAX_RETRIES).default(DEFAULT_RETRY_RULES.handlerError),
  }).default(DEFAULT_RETRY_RULES),
});

const checked = schema.superRefine((input, context) => {
  if (input.workersMin > input.workersMax) {
    const message = `must not exceed workersMax, which is ${input.workersMax}; got ${input.workersMin}`;
    context.addIssue({ code: "custom", path: ["workersMin"], message });
  }
  // An empty id means none (live).
  const volumes = [input.networkVolumeId ?? "", ...(input.networkVolumeIds ?? [])];
  for (const id of volumes.filter((volume) => volume !== "")) {
    const path = [input.networkVolumeId === id ? "networkVolumeId" : "networkVolumeIds"];
    const message = `names no network volume of this service: ${JSON.stringify(id)}`;
    context.addIssue({ code: "custom", path, message });
  }
});

/** @throws ServiceError `invalid_request` */
export function readEndpointInput(value: unknown): EndpointInput {
  const known = Object.keys(schema.shape);
  const {
    networkVolumeId: _one,
    networkVolumeIds: _several,
    ...input
  } = readFields(checked, known, value);
  return input;
}
