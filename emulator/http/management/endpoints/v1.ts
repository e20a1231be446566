/** Operations on endpoints. An answer shows the record, with fields from its template and workers. */
import { flavorMemoryGb } from "../../../core/catalog/cpu-flavors.ts";
import type { Flags } from "../../../core/input/query-parameters.ts";
import {
  endpointChangesSchema,
  endpointInputSchema,
  readEndpointChanges,
  readEndpointInput,
} from "../../../core/resources/endpoints/endpoint-input.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import { withoutNewerFields } from "../../../core/resources/templates/template.ts";
import type { WorkerPort } from "../../../engine/workers/worker-port.ts";
import type { CatalogPort } from "../../../engine/resources/catalog-port.ts";
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
} from "../../../engine/resources/endpoints/manage-endpoints.ts";
import { updateEndpoint } from "../../../engine/resources/endpoints/update-endpoint.ts";
import type { ShownEndpoint } from "../../operation/dialect.ts";
import { workersOfEndpoints } from "../../replicas/merged-answer.ts";
import { workerBody } from "../pods/v1-worker-body.ts";
import { endpointQuery, endpointSchema } from "../../schemas/endpoint.ts";
import { Resource } from "../v1/resource.ts";
import { USER_ID } from "../account/user-id.ts";

const endpoint = new Resource({
  tag: "endpoints",
  path: "/v1/endpoints",
  id: "endpointId",
  name: "The endpoint",
  schema: endpointSchema,
  flags: endpointQuery,
  show: (shown: Endpoint, { service, dialect }, flags) =>
    dialect.endpoint(endpointBody(service.engine, shown, flags)),
});

export const ENDPOINT_OPERATIONS = {
  /** `POST /endpoints`: creates an endpoint and with it its queue (spec). */
  createEndpoint: endpoint.creation(
    { takes: endpointInputSchema, errors: ["storage_full"] },
    (engine, body) => createEndpoint(engine, readEndpointInput(body)),
  ),
  /** `GET /endpoints`: all endpoints as a bare array (spec). */
  listEndpoints: endpoint.listing(
    "Oldest first.",
    async (engine) => listEndpoints(engine),
    workersOfEndpoints,
  ),
  /** `GET /endpoints/{id}`: one endpoint (spec). */
  readEndpoint: endpoint.reading(["endpoint_not_found"], async ({ directory }, id) =>
    directory.endpoint(id),
  ),
  /** `PATCH /endpoints/{id}`: changes an endpoint and replaces its workers, unless the change can be made in place (live). */
  updateEndpoint: endpoint.change(
    { takes: endpointChangesSchema, errors: ["endpoint_not_found", "storage_full"] },
    (engine, id, body) => updateEndpoint(engine, id, readEndpointChanges(body)),
  ),
  /** `DELETE /endpoints/{id}`: deletes an endpoint and its jobs; its workers leave (spec). */
  deleteEndpoint: endpoint.deletion(["endpoint_not_found", "storage_full"], deleteEndpoint),
};

function endpointBody(
  { directory, fleet }: WorkerPort & CatalogPort,
  shown: Endpoint,
  { includeTemplate, includeWorkers }: Flags<keyof typeof endpointQuery.shape>,
): ShownEndpoint {
  const template = directory.findTemplate(shown.templateId);
  const workers = () => fleet.workersOf(shown.id).map((worker) => workerBody(worker, template));
  return {
    ...shown,
    userId: USER_ID,
    allowedCudaVersions: shown.allowedCudaVersions ?? [],
    dataCenterIds: shown.dataCenterIds ?? [],
    networkVolumeIds: shown.networkVolumeIds ?? [],
    ...(shown.computeType === "CPU" && { instanceIds: instanceIdsOf(shown) }),
    env: template?.env ?? {},
    // Newer interfaces may have stored a fraction, or 0 for the maximum execution time.
    scalerValue: Math.ceil(shown.scalerValue),
    executionTimeoutMs: shown.executionTimeoutMs || LIMITS.executionTimeoutMaxMs,
    ...(includeTemplate && template && { template: withoutNewerFields(template) }),
    ...(includeWorkers && { workers: workers() }),
  };
}

const DEFAULT_VCPU_COUNT = 2;

/** Flavour, vCPUs and GB of memory (live), for example `cpu3c-8-16`. */
export function instanceIdsOf({ cpuFlavorIds = [], vcpuCount = DEFAULT_VCPU_COUNT }: Endpoint) {
  return cpuFlavorIds.map(
    (flavor) => `${flavor}-${vcpuCount}-${flavorMemoryGb(flavor, vcpuCount)}`,
  );
}
