/** An endpoint as the second version of REST answers it (live). */
import { ENDPOINT_CPU_FLAVORS, flavorMemoryGb } from "../../../core/catalog/cpu-flavors.ts";
import { ENDPOINT_FIELDS } from "../../../core/resources/endpoint-fields.ts";
import type { Endpoint } from "../../../core/resources/endpoint.ts";
import { inOrder } from "../../../core/resources/fields.ts";
import { poolsOf } from "../../../core/resources/gpu-pools.ts";
import { volumesOf } from "../../../core/resources/network-volume.ts";
import { CONTAINER_DEFAULTS } from "../../../core/resources/template-fields.ts";
import type { TemplateContainer } from "../../../core/resources/template.ts";
import { shownBelow } from "../rest-v2/fields.ts";
import { containerBody } from "../templates/rest-v2-container.ts";
import { hasIdleTimeout } from "./rest-v2-settings.ts";

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
) {
  const made = container ?? UNKNOWN_CONTAINER;
  const { idleTimeout, ...bounds } = shownBelow(ENDPOINT_FIELDS, endpoint, "workers");
  return inOrder(ORDER, {
    id: endpoint.id,
    ...shownBelow(ENDPOINT_FIELDS, endpoint),
    ...(endpoint.computeType === "GPU" ? { gpu: gpuOf(endpoint) } : { cpu: cpuOf(endpoint) }),
    workers: { ...bounds, ...(hasIdleTimeout(endpoint) && { idleTimeout }) },
    scaling: scalingOf(endpoint),
    networkVolumes: volumesOf(endpoint),
    ...(baseUrl !== undefined && { requestUrls: requestUrlsOf(endpoint, made, baseUrl) }),
    createdAt: endpoint.createdAt,
    ...containerBody(made),
  });
}

const ORDER = [
  ...["id", "name", "type", "gpu", "cpu", "workers", "scaling", "dataCenterIds"],
  ...["networkVolumes", "timeout", "flashboot"],
];

function gpuOf(endpoint: Endpoint) {
  return { ...poolsOf(endpoint.gpuTypeIds), ...shownBelow(ENDPOINT_FIELDS, endpoint, "gpu") };
}

/** Without flavours, so that any will do, it is all of them (ours). */
function cpuOf({ cpuFlavorIds = [], vcpuCount = DEFAULT_VCPU_COUNT }: Endpoint) {
  const ids = cpuFlavorIds.length === 0 ? ENDPOINT_CPU_FLAVORS : cpuFlavorIds;
  return ids.map((id) => ({ id, vcpuCount, memory: flavorMemoryGb(id, vcpuCount) }));
}

function scalingOf({ scalerType, scalerValue }: Endpoint) {
  return scalerType === "QUEUE_DELAY"
    ? { type: "QUEUE_DELAY", queueDelay: scalerValue }
    : { type: "REQUEST_COUNT", requestCount: scalerValue };
}

/** `{job_id}` stands as it is (live); servers of workers are below a path of their own (ours). */
function requestUrlsOf(
  { id, type }: Endpoint,
  { env }: Pick<TemplateContainer, "env">,
  baseUrl: string,
) {
  const jobs = `${baseUrl}/live/v2/${id}`;
  if (type === "LOAD_BALANCING") {
    const base = `${baseUrl}/lb/${id}`;
    return { base, health: `${base}/${healthPathOf(env)}` };
  }
  return {
    run: `${jobs}/run`,
    runSync: `${jobs}/runsync`,
    status: `${jobs}/status/{job_id}`,
    stream: `${jobs}/stream/{job_id}`,
    cancel: `${jobs}/cancel/{job_id}`,
    retry: `${jobs}/retry/{job_id}`,
    purgeQueue: `${jobs}/purge-queue`,
    health: `${jobs}/health`,
  };
}

/** Where servers of workers are asked how they are (live). */
function healthPathOf({ HEALTH_CHECK_PATH: path = "/ping" }: TemplateContainer["env"]): string {
  return path.replace(/^\/+/u, "");
}
