/** An endpoint in answers of the second version of REST (live). */
import { ENDPOINT_CPU_FLAVORS, flavorMemoryGb } from "../../../core/catalog/cpu-flavors.ts";
import { ENDPOINT_FIELDS } from "../../../core/resources/endpoints/endpoint-fields.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import { inOrder } from "../../../core/resources/fields.ts";
import { poolsOf } from "../../../core/resources/endpoints/gpu-pools.ts";
import { volumesOf } from "../../../core/resources/network-volumes/network-volume.ts";
import { CONTAINER_DEFAULTS } from "../../../core/resources/templates/template-fields.ts";
import type { TemplateContainer } from "../../../core/resources/templates/template.ts";
import { shownBelow } from "../rest-v2/fields.ts";
import { containerBody } from "../templates/rest-v2-container.ts";
import { hasIdleTimeout } from "./rest-v2-settings.ts";

/** vCPUs of a CPU endpoint that does not name a number. */
const DEFAULT_VCPU_COUNT = 2;

/** Container that is shown while another replica changes the endpoint's template. */
const UNKNOWN_CONTAINER: TemplateContainer = {
  ...CONTAINER_DEFAULTS,
  imageName: "",
  ports: [],
};

/** @param baseUrl the URL up to `/live/v2`, from the request; undefined if the request names no host */
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

/** An endpoint without flavours takes any, so all are shown (ours). */
function cpuOf({ cpuFlavorIds = [], vcpuCount = DEFAULT_VCPU_COUNT }: Endpoint) {
  const ids = cpuFlavorIds.length === 0 ? ENDPOINT_CPU_FLAVORS : cpuFlavorIds;
  return ids.map((id) => ({ id, vcpuCount, memory: flavorMemoryGb(id, vcpuCount) }));
}

function scalingOf({ scalerType, scalerValue }: Endpoint) {
  return scalerType === "QUEUE_DELAY"
    ? { type: "QUEUE_DELAY", queueDelay: scalerValue }
    : { type: "REQUEST_COUNT", requestCount: scalerValue };
}

/** `{job_id}` is literal (live). Servers of workers have a path of their own (ours). */
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

/** URL of the health check of workers' servers (live). */
function healthPathOf({ HEALTH_CHECK_PATH: path = "/ping" }: TemplateContainer["env"]): string {
  return path.replace(/^\/+/u, "");
}
