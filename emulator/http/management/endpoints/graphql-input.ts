/** Reads what GraphQL takes for an endpoint as what the use cases take. Pure. */
import {
  type EndpointChanges,
  type EndpointInput,
  readEndpointInput,
} from "../../../core/resources/endpoint-input.ts";
import { ENDPOINT_FIELDS } from "../../../core/resources/endpoint-fields.ts";
import type { Endpoint } from "../../../core/resources/endpoint.ts";
import { readGpuIds, typesOf } from "../../../core/resources/gpu-pools.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import type { InlineContainer } from "../../../engine/resources/templates/bound-template.ts";
import type { InlineEndpointInput } from "../../../engine/resources/endpoints/manage-endpoints.ts";
import { cpuOf } from "../catalog/graphql-cpu-instances.ts";
import { sentFields } from "../graphql/fields.ts";
import { defined, given, type Input, textOf } from "../graphql/input.ts";
import { containerChangesOf } from "../templates/graphql-input.ts";

/** Of a new endpoint, of a template or with a container of its own. @throws ServiceError invalid_request */
export function endpointInputOf(input: Input): EndpointInput | InlineEndpointInput {
  const inline = inlineOf(input);
  if (inline === undefined) return readEndpoint(bodyOf(input));
  const { templateId: _, ...settings } = readEndpoint({ ...bodyOf(input), templateId: "none" });
  const { name } = settings;
  if (name === undefined) throw invalidRequest(["name is required"]);
  return { ...settings, name, ...inline };
}

/** What the workers are made of, where that is written beside the endpoint. @throws ServiceError invalid_request */
export function inlineOf({ template, templateId }: Input): InlineContainer | undefined {
  if (typeof template !== "object" || template === null) return undefined;
  return { container: containerChangesOf(template as Input), copyOf: textOf(templateId) };
}

/**
 * Of one that is saved under its id: what is not set gets its default (live), but for the name and the template, and for what
 * GraphQL has no field for.
 *
 * @throws ServiceError invalid_request
 */
export function endpointReplacement(input: Input, present: Endpoint): EndpointChanges {
  const { type, computeType, name } = present;
  // Who writes back what was read of one without GPUs names none.
  const hasNoGpu = computeType === "CPU" && input["gpuIds"] === "";
  const body = bodyOf(hasNoGpu ? { ...input, gpuIds: null } : input);
  refuseOther("type", ENDPOINT_FIELDS.type.graphql.write(type), given(input)["type"]);
  refuseOther("computeType", computeType, body["computeType"]);
  const isInline = inlineOf(input) !== undefined;
  const templateId = (isInline ? undefined : textOf(input["templateId"])) ?? present.templateId;
  const all = { name, ...body, templateId, type, computeType };
  const { retries: _, requestsPerWorker: __, ...wanted } = readEndpoint(all);
  return {
    // An empty list and an empty text take away what was there.
    ...{ cpuFlavorIds: [], allowedCudaVersions: [], minCudaVersion: "", dataCenterIds: [] },
    ...{ networkVolumeId: "", networkVolumeIds: [], flashboot: false },
    ...wanted,
  };
}

/** @throws ServiceError invalid_request */
function readEndpoint({ executionTimeoutMs, ...body }: Input): EndpointInput {
  // As long as a job may take at all (live).
  if (executionTimeoutMs === 0) return { ...readEndpointInput(body), executionTimeoutMs };
  return readEndpointInput({ ...body, ...defined({ executionTimeoutMs }) });
}

/** As `/v1` has it. @throws ServiceError invalid_request */
function bodyOf(input: Input): Input {
  refuseMissing(given(input));
  return {
    ...sentFields(ENDPOINT_FIELDS, input),
    ...defined({ networkVolumeIds: volumeIdsOf(given(input)["networkVolumeIds"]) }),
    ...computeOf(input),
  };
}

/** No pool at all is any GPU; an empty text of them is a mistake (live). @throws ServiceError invalid_request */
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
  throw invalidRequest([`${field} is settled at creation and cannot be changed; it is ${present}`]);
}

/** What the live service does with them is not done here. */
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
