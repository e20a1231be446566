/** An endpoint as the management interface shows it (spec): the record, and what it takes from its template and its workers. */
import type { Endpoint } from "../../../core/resources/endpoint.ts";
import { parseFlag, type QueryParameters } from "../../../core/input/query-parameters.ts";
import type { Uses } from "../../../engine/context.ts";
import type { ShownEndpoint } from "../../dialect.ts";
import { workerBody } from "../../pods/worker-body.ts";

/** What an endpoint is shown with beside itself. */
export interface EndpointIncludes {
  readonly template: boolean;
  readonly workers: boolean;
}

const NOTHING: EndpointIncludes = { template: false, workers: false };

/** The service has one user (ours). */
const USER_ID = "user_local";

/** `includeTemplate` and `includeWorkers`; default false (spec). @throws ServiceError `invalid_request` */
export function readEndpointIncludes(query: QueryParameters): EndpointIncludes {
  return {
    template: parseFlag(query, "includeTemplate"),
    workers: parseFlag(query, "includeWorkers"),
  };
}

export function endpointBody(
  engine: Uses<"directory" | "fleet">,
  endpoint: Endpoint,
  includes = NOTHING,
): ShownEndpoint {
  const template = engine.directory.findTemplate(endpoint.templateId);
  const workers = () => engine.fleet.workersOf(endpoint.id);
  return {
    ...endpoint,
    userId: USER_ID,
    allowedCudaVersions: endpoint.allowedCudaVersions ?? [],
    dataCenterIds: endpoint.dataCenterIds ?? [],
    networkVolumeIds: endpoint.networkVolumeIds ?? [],
    ...(endpoint.computeType === "CPU" ? { instanceIds: instanceIdsOf(endpoint) } : {}),
    env: template?.env ?? {},
    ...(includes.template ? { template } : {}),
    ...(includes.workers
      ? { workers: workers().map((worker) => workerBody(worker, template)) }
      : {}),
  };
}

const DEFAULT_VCPU_COUNT = 2;

/** Flavour, vCPUs and GB of memory (live), for example `cpu3c-8-16`: 2 GB for each vCPU of a `c`, 4 of a `g`. */
function instanceIdsOf({ cpuFlavorIds = [], vcpuCount = DEFAULT_VCPU_COUNT }: Endpoint) {
  return cpuFlavorIds.map((flavor) => {
    const memoryInGb = vcpuCount * (flavor.endsWith("g") ? 4 : 2);
    return `${flavor}-${vcpuCount}-${memoryInGb}`;
  });
}
