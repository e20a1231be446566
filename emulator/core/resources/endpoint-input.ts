/**
 * What a client sends to create or change an endpoint, checked; of a new one with its defaults filled in (source: spec;
 * `type`, `retries` and `requestsPerWorker` are ours).
 */
import { z } from "zod";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import {
  COMPUTE_TYPES,
  defaultScalerType,
  type Endpoint,
  ENDPOINT_TYPES,
  SCALER_TYPES,
  scalerProblem,
} from "./endpoint.ts";
import { ENDPOINT_CPU_FLAVORS } from "../catalog/cpu-flavors.ts";
import { DATA_CENTER } from "../catalog/data-centers.ts";
import { CUDA_VERSION } from "../workers/cuda-requirement.ts";
import { GPU_TYPE, noGpuType } from "../workers/gpu-type.ts";
import {
  arrayOf,
  fields,
  flag,
  integer,
  NAME_MAX_CHARACTERS,
  nonEmptyText,
  oneOf,
  readFields,
  settled,
  text,
  texts,
  textsOrCommas,
} from "../input/input-fields.ts";
import { DEFAULT_RETRY_RULES, type RetryRules } from "../jobs/job.ts";
import { namedVolumes } from "./network-volume.ts";

export interface EndpointInput extends Omit<Endpoint, "id" | "name" | "version" | "createdAt"> {
  /** Absent: the template's name. */
  readonly name?: string | undefined;
}

/** Absent fields stay as they are, those of `retries` as well; an empty id of a volume takes it away (live). */
export type EndpointChanges = {
  readonly [Field in Exclude<keyof EndpointInput, "computeType" | "type" | "retries">]?:
    | EndpointInput[Field]
    | undefined;
} & { readonly retries?: Changed<RetryRules> | undefined };

type Changed<T> = { readonly [Field in keyof T]?: T[Field] | undefined };

const MAX_RETRIES = 100;

const gpuTypeError = { error: ({ input }: { readonly input?: unknown }) => noGpuType(input) };
/** The name of a GPU type. */
export const gpuType = z.string(gpuTypeError).regex(GPU_TYPE, gpuTypeError);

const retryRules = {
  workerLost: integer(0, MAX_RETRIES),
  handlerError: integer(0, MAX_RETRIES),
};

const changeable = {
  name: nonEmptyText(NAME_MAX_CHARACTERS),
  templateId: nonEmptyText(NAME_MAX_CHARACTERS),
  gpuTypeIds: arrayOf(gpuType),
  gpuCount: integer(1),
  cpuFlavorIds: arrayOf(oneOf(ENDPOINT_CPU_FLAVORS)),
  vcpuCount: integer(1),
  allowedCudaVersions: textsOrCommas(CUDA_VERSION, "a version like 12.8"),
  minCudaVersion: text().regex(CUDA_VERSION, { error: "must be a version like 12.8" }),
  dataCenterIds: textsOrCommas(DATA_CENTER, "a data centre like EU-RO-1"),
  networkVolumeId: text(),
  networkVolumeIds: texts(),
  scalerType: oneOf(SCALER_TYPES),
  scalerValue: integer(1),
  idleTimeout: integer(1, 3_600, " (seconds)"),
  executionTimeoutMs: integer(LIMITS.executionTimeoutMinMs, LIMITS.executionTimeoutMaxMs, " (ms)"),
  workersMin: integer(0),
  workersMax: integer(0),
  flashboot: flag(),
  retries: fields(retryRules).partial(),
  requestsPerWorker: integer(1),
};

const creation = fields(changeable)
  .partial()
  .extend({
    templateId: changeable.templateId,
    type: oneOf(ENDPOINT_TYPES).default("QUEUE"),
    computeType: oneOf(COMPUTE_TYPES).default("GPU"),
    gpuTypeIds: changeable.gpuTypeIds.default([]),
    gpuCount: changeable.gpuCount.default(1),
    scalerValue: changeable.scalerValue.default(4),
    idleTimeout: changeable.idleTimeout.default(5),
    executionTimeoutMs: changeable.executionTimeoutMs.default(LIMITS.executionTimeoutDefaultMs),
    workersMin: changeable.workersMin.default(0),
    workersMax: changeable.workersMax.default(3),
    retries: fields({
      workerLost: retryRules.workerLost.default(DEFAULT_RETRY_RULES.workerLost),
      handlerError: retryRules.handlerError.default(DEFAULT_RETRY_RULES.handlerError),
    }).default(DEFAULT_RETRY_RULES),
    requestsPerWorker: changeable.requestsPerWorker.default(LIMITS.requestsPerWorkerDefault),
  });

const FIELD_NAMES = Object.keys(creation.shape);

/** The body of `POST /endpoints`. */
export const endpointInputSchema = creation
  .superRefine((input, context) => {
    const message = workersMinProblem(input);
    if (message !== undefined) context.addIssue({ code: "custom", path: ["workersMin"], message });
    const wrongScaler = scalerProblem(input.type, input.scalerType);
    if (wrongScaler !== undefined) {
      context.addIssue({ code: "custom", path: ["scalerType"], message: wrongScaler });
    }
  })
  .meta({ id: "EndpointInput" });

/** The body of `PATCH /endpoints/{id}`. */
export const endpointChangesSchema = fields(changeable)
  .partial()
  .extend({ computeType: settled(), type: settled() })
  .meta({ id: "EndpointChanges" });

/** @throws ServiceError `invalid_request` */
export function readEndpointInput(value: unknown): EndpointInput {
  const { networkVolumeId, networkVolumeIds, scalerType, ...input } = readFields(
    endpointInputSchema,
    FIELD_NAMES,
    value,
  );
  return {
    ...input,
    scalerType: scalerType ?? defaultScalerType(input.type),
    ...namedVolumes({ networkVolumeId, networkVolumeIds }),
  };
}

/** @throws ServiceError `invalid_request`; whether the endpoint as a whole makes sense is for `changeEndpoint` to see */
export function readEndpointChanges(value: unknown): EndpointChanges {
  const { computeType: _, ...changes } = readFields(endpointChangesSchema, FIELD_NAMES, value);
  return changes;
}

/** What is wrong with `workersMin`, without the subject of the sentence. */
export function workersMinProblem(
  endpoint: Pick<Endpoint, "workersMin" | "workersMax">,
): string | undefined {
  const { workersMin, workersMax } = endpoint;
  if (workersMin <= workersMax) return undefined;
  return `must not exceed workersMax, which is ${workersMax}; got ${workersMin}`;
}
