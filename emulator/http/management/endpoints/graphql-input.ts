/** Reads endpoints in GraphQL inputs as input of the use cases. Pure. */
import {
  type EndpointChanges,
  type EndpointInput,
  readEndpointInput,
} from "../../../core/resources/endpoints/endpoint-input.ts";
import { ENDPOINT_FIELDS } from "../../../core/resources/endpoints/endpoint-fields.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import { readGpuIds, typesOf } from "../../../core/resources/endpoints/gpu-pools.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import type { InlineContainer } from "../../../engine/resources/templates/bound-template.ts";
import type { InlineEndpointInput } from "../../../engine/resources/endpoints/manage-endpoints.ts";
import { cpuOf } from "../catalog/graphql-cpu-instances.ts";
import { sentFields } from "../graphql/fields.ts";
import { defined, given, type Input, textOf } from "../graphql/input.ts";
import { containerChangesOf } from "../templates/graphql-input.ts";

/**
 * A new endpoint, with a template or with a container of its own.
 * @throws ServiceError invalid_request
 */
export function endpointInputOf(input: Input): EndpointInput | InlineEndpointInput {
  const inline = inlineOf(input);
  if (inline === undefined) return readEndpoint(bodyOf(input));
  const { templateId: _, ...settings } = readEndpoint({ ...bodyOf(input), templateId: "none" });
  const { name } = settings;
  if (name === undefined) throw invalidRequest(["name is required"]);
  return { ...settings, name, ...inline };
}

/**
 * The container written within the endpoint; undefined if the input has none.
 * @throws ServiceError invalid_request
 */
export function inlineOf({ template, templateId }: Input): InlineContainer | undefined {
  if (typeof template !== "object" || template === null) return undefined;
  return { container: containerChangesOf(template as Input), copyOf: textOf(templateId) };
}

/**
 * The changes that save an endpoint under its id. Absent fields get their defaults (live), except the name, the template and
 * the fields that GraphQL does not have.
 * @throws ServiceError invalid_request
 */
export function endpointReplacement(input: Input, present: Endpoint): EndpointChanges {
  const { type, computeType, name } = present;
  // A client that writes back an endpoint without GPUs sends an empty `gpuIds`.
  const hasNoGpu = computeType === "CPU" && input["gpuIds"] === "";
  const body = bodyOf(hasNoGpu ? { ...input, gpuIds: null } : input);
  refuseOther("type", ENDPOINT_FIELDS.type.graphql.write(type), given(input)["type"]);
  refuseOther("computeType", computeType, body["computeType"]);
  const isInline = inlineOf(input) !== undefined;
  const templateId = (isInline ? undefined : textOf(input["templateId"])) ?? present.templateId;
  const all = { name, ...body, templateId, type, computeType };
  const { retries: _, requestsPerWorker: __, ...wanted } = readEndpoint(all);
  return {
    // An empty list or text removes the present value.
    ...{ cpuFlavorIds: [], allowedCudaVersions: [], minCudaVersion: "", dataCenterIds: [] },
    ...{ networkVolumeId: "", networkVolumeIds: [], flashboot: false },
    ...wanted,
  };
}

/** @throws ServiceError invalid_request */
function readEndpoint({ executionTimeoutMs, ...body }: Input): EndpointInput {
  // 0: the maximum execution time of a job (live).
  if (executionTimeoutMs === 0) return { ...readEndpointInput(body), executionTimeoutMs };
  return readEndpointInput({ ...body, ...defined({ executionTimeoutMs }) });
}

/**
 * The input with the field names of `/v1`.
 * @throws ServiceError invalid_request
 */
function bodyOf(input: Input): Input {
  refuseMissing(given(input));
  return {
    ...sentFields(ENDPOINT_FIELDS, input),
    ...defined({ networkVolumeIds: volumeIdsOf(given(input)["networkVolumeIds"]) }),
    ...computeOf(input),
  };
}

/**
 * Absent pools mean any GPU; an empty text is a mistake (live).
 * @throws ServiceError invalid_request
 */
function computeOf({ instanceIds, gpuIds }: Input): Input {
  if (Array.isArray(instanceIds) && instanceIds.length > 0)
    return { computeType: "CPU", ...cpuOf(instanceIds) };
  if (typeof gpuIds !== "string") return {};
  const { pools, excludedTypes } = readGpuIds(gpuIds);
  return { computeType: "GPU", gpuTypeIds: typesOf(pools, excludedTypes) };
}

function volumeIdsOf(volumes: unknown): unknown {
  if (!Array.isArray(volumes)) return undefined;
  return (volumes as readonly (Input | null)[]).flatMap((each) => each?.["networkVolumeId"] ?? []);
}

/** @throws ServiceError invalid_request */
function refuseOther(field: string, present: string, wanted: unknown): void {
  if (wanted === undefined || wanted === present) return;
  throw invalidRequest([`${field} is set at creation and cannot be changed; it is ${present}`]);
}

/** Fields of the live service without an implementation here, with the reason. */
const MISSING: Readonly<Record<string, string>> = {
  modelReferences: "models are not cached here; workers fetch them",
};

/** @throws ServiceError invalid_request */
function refuseMissing(sent: Input): void {
  const isSet = (value: unknown) =>
    value !== undefined && !(Array.isArray(value) && value.length === 0);
  const wanted = Object.keys(MISSING).filter((field) => isSet(sent[field]));
  if (wanted.length > 0)
    throw invalidRequest(wanted.map((field) => `${field} is not served: ${MISSING[field]}`));
}
