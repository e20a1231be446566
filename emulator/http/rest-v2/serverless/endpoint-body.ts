/** An endpoint as the second version of REST answers it (live). */
import type { z } from "zod";
import { ENDPOINT_CPU_FLAVORS, flavorMemoryGb } from "../../../core/catalog/cpu-flavors.ts";
import type { Endpoint } from "../../../core/resources/endpoint.ts";
import { poolsOf } from "../../../core/resources/gpu-pools.ts";
import { volumesOf } from "../../../core/resources/network-volume.ts";
import { CONTAINER_DEFAULTS } from "../../../core/resources/template-input.ts";
import type { TemplateContainer } from "../../../core/resources/template.ts";
import { containerBody } from "../container.ts";
import { hasIdleTimeout } from "./endpoint-settings.ts";
import type { endpointSchemaV2 } from "./endpoint-schemas.ts";

type Body = z.infer<typeof endpointSchemaV2>;

/** Of one that does not say. */
const DEFAULT_VCPU_COUNT = 2;

/** Of an endpoint whose template another replica is just changing. */
const UNKNOWN_CONTAINER: TemplateContainer = {
  ...CONTAINER_DEFAULTS,
  imageName: "",
  ports: [],
};

/** @param baseUrl what stands before `/live/v2`, as the request came; undefined where it says no host */
export function endpointBodyV2(
  endpoint: Endpoint,
  container: TemplateContainer | undefined,
  baseUrl: string | undefined,
): Body {
  return {
    id: endpoint.id,
    name: endpoint.name,
    type: endpoint.type === "QUEUE" ? "QUEUE" : "LOAD_BALANCER",
    ...(endpoint.computeType === "GPU" ? { gpu: gpuOf(endpoint) } : { cpu: cpuOf(endpoint) }),
    workers: {
      min: endpoint.workersMin,
      max: endpoint.workersMax,
      ...(hasIdleTimeout(endpoint) && { idleTimeout: endpoint.idleTimeout }),
    },
    scaling: scalingOf(endpoint),
    dataCenterIds: [...(endpoint.dataCenterIds ?? [])],
    networkVolumes: [...volumesOf(endpoint)],
    timeout: endpoint.executionTimeoutMs,
    flashboot: endpoint.flashboot === true ? "FLASHBOOT" : "OFF",
    ...(baseUrl !== undefined && { requestUrls: requestUrlsOf(endpoint, baseUrl) }),
    createdAt: endpoint.createdAt,
    ...containerBody(container ?? UNKNOWN_CONTAINER),
  };
}

function gpuOf({ gpuTypeIds, gpuCount, allowedCudaVersions, minCudaVersion }: Endpoint) {
  const { pools, excludedTypes } = poolsOf(gpuTypeIds);
  return {
    pools: [...pools],
    excludedTypes: [...excludedTypes],
    count: gpuCount,
    allowedCudaVersions: [...(allowedCudaVersions ?? [])],
    minCudaVersion: minCudaVersion ?? null,
  };
}

/** Without flavours, so that any will do, it is all of them (ours). */
function cpuOf({ cpuFlavorIds = [], vcpuCount = DEFAULT_VCPU_COUNT }: Endpoint) {
  const ids = cpuFlavorIds.length === 0 ? ENDPOINT_CPU_FLAVORS : cpuFlavorIds;
  return ids.map((id) => ({ id, vcpuCount, memory: flavorMemoryGb(id, vcpuCount) }));
}

function scalingOf({ scalerType, scalerValue }: Endpoint): Body["scaling"] {
  return scalerType === "QUEUE_DELAY"
    ? { type: "QUEUE_DELAY", queueDelay: scalerValue }
    : { type: "REQUEST_COUNT", requestCount: scalerValue };
}

/** `{job_id}` stands as it is (live); servers of workers are below a path of their own (ours). */
function requestUrlsOf({ id, type }: Endpoint, baseUrl: string): Body["requestUrls"] {
  const jobs = `${baseUrl}/live/v2/${id}`;
  const health = `${jobs}/health`;
  if (type === "LOAD_BALANCING") return { base: `${baseUrl}/lb/${id}`, health };
  return {
    run: `${jobs}/run`,
    runSync: `${jobs}/runsync`,
    status: `${jobs}/status/{job_id}`,
    stream: `${jobs}/stream/{job_id}`,
    cancel: `${jobs}/cancel/{job_id}`,
    retry: `${jobs}/retry/{job_id}`,
    purgeQueue: `${jobs}/purge-queue`,
    health,
  };
}
