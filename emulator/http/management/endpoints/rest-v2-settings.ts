/** What is asked for of an endpoint in the second version of REST, as the fields of ours; its rules between fields (live). Pure. */
import { defined } from "../../../../runtime/protocol/without-undefined.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { ENDPOINT_CPU_FLAVORS } from "../../../core/catalog/cpu-flavors.ts";
import { valueInWords } from "../../../core/input/problem-messages.ts";
import { DEFAULT_RETRY_RULES } from "../../../core/jobs/job.ts";
import { type EndpointChanges, workersMinProblem } from "../../../core/resources/endpoint-input.ts";
import { type Endpoint, scalerProblem } from "../../../core/resources/endpoint.ts";
import { poolsOf, typesOf } from "../../../core/resources/gpu-pools.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import type { InlineEndpointInput } from "../../../engine/resources/endpoints/manage-endpoints.ts";
import { unprocessable } from "../rest-v2/problem.ts";
import type { CreateEndpointBody, UpdateEndpointBody } from "./rest-v2-schemas.ts";

const DEFAULT_WORKERS = { min: 0, max: 3, idleTimeout: 10 };

/** The live service was seen to take no limit where none is sent, in spite of its document. */
const DEFAULT_TIMEOUT_MS = 0;

/** Without what its workers are made of. */
export type EndpointSettings = Omit<InlineEndpointInput, "container" | "copyOf">;

type Body = CreateEndpointBody | UpdateEndpointBody;

/** @throws ServiceError invalid_request, unprocessable */
export function endpointSettingsOf(body: CreateEndpointBody): EndpointSettings {
  const type = body.type === "LOAD_BALANCER" ? "LOAD_BALANCING" : "QUEUE";
  if ((body.gpu === undefined) === (body.cpu === undefined))
    throw invalidRequest(["exactly one of gpu and cpu is required"]);
  const { gpu } = body;
  const scaling = scalingOf(body.scaling);
  checkIdleTimeout(type, scaling.scalerType, body);
  checkCuda(gpu ?? {});
  const workers = { ...DEFAULT_WORKERS, ...defined(body.workers ?? {}) };
  checkBounds(type, scaling.scalerType, workers);
  const { networkVolumes = [], dataCenterIds } = body;
  return {
    name: body.name,
    type,
    computeType: gpu === undefined ? "CPU" : "GPU",
    gpuTypeIds: gpu === undefined ? [] : typesOf(gpu.pools, gpu.excludedTypes),
    gpuCount: gpu?.count ?? 1,
    ...cudaOf(gpu ?? {}),
    ...(body.cpu && cpuOf(body.cpu)),
    workersMin: workers.min,
    workersMax: workers.max,
    idleTimeout: workers.idleTimeout,
    ...scaling,
    ...defined({ dataCenterIds }),
    ...volumesOf(networkVolumes),
    executionTimeoutMs: timeoutOf(body.timeout ?? DEFAULT_TIMEOUT_MS),
    flashboot: (body.flashboot ?? "OFF") !== "OFF",
    retries: DEFAULT_RETRY_RULES,
    requestsPerWorker: LIMITS.requestsPerWorkerDefault,
  };
}

/** Of an endpoint that is there, the use case looks at it. */
function checkBounds(
  type: Endpoint["type"],
  scalerType: Endpoint["scalerType"],
  { min, max }: typeof DEFAULT_WORKERS,
): void {
  const tooMany = workersMinProblem({ workersMin: min, workersMax: max });
  if (tooMany !== undefined) throw invalidRequest([`workersMin ${tooMany}`]);
  const wrongScaler = scalerProblem(type, scalerType);
  if (wrongScaler !== undefined) throw invalidRequest([`scalerType ${wrongScaler}`]);
}

/** @throws ServiceError invalid_request, unprocessable */
export function endpointChangesOf(body: UpdateEndpointBody, present: Endpoint): EndpointChanges {
  const { gpu, cpu, timeout, flashboot, networkVolumes, workers = {} } = body;
  if (gpu !== undefined && present.computeType === "CPU")
    throw invalidRequest(["gpu is not possible: the endpoint was created with cpu"]);
  if (cpu !== undefined && present.computeType === "GPU")
    throw invalidRequest(["cpu is not possible: the endpoint was created with gpu"]);
  const scaling = body.scaling && scalingOf(body.scaling);
  checkIdleTimeout(present.type, scaling?.scalerType ?? present.scalerType, body);
  return {
    ...(gpu && gpuChangesOf(gpu, present)),
    ...(cpu && cpuOf(cpu)),
    ...scaling,
    ...(networkVolumes && {
      networkVolumeId: "",
      networkVolumeIds: [],
      ...volumesOf(networkVolumes),
    }),
    ...defined({
      name: body.name,
      workersMin: workers.min,
      workersMax: workers.max,
      idleTimeout: workers.idleTimeout,
      dataCenterIds: body.dataCenterIds,
      executionTimeoutMs: timeout === undefined ? undefined : timeoutOf(timeout),
      flashboot: flashboot === undefined ? undefined : flashboot !== "OFF",
    }),
  };
}

type GpuChanges = NonNullable<UpdateEndpointBody["gpu"]>;

function gpuChangesOf(gpu: GpuChanges, present: Endpoint): EndpointChanges {
  const { pools, excludedTypes, count, allowedCudaVersions, minCudaVersion } = gpu;
  if (excludedTypes !== undefined && pools === undefined)
    throw invalidRequest(["gpu.excludedTypes needs gpu.pools beside it"]);
  if (allowedCudaVersions !== undefined || minCudaVersion !== undefined)
    checkCuda({ ...present, ...defined({ allowedCudaVersions, minCudaVersion }) });
  const isSame = pools !== undefined && isSameChoice({ pools, excludedTypes }, present);
  return {
    // The order of types of one pool says nothing there.
    ...(pools !== undefined && !isSame && { gpuTypeIds: typesOf(pools, excludedTypes) }),
    ...(count !== undefined && { gpuCount: count }),
    ...defined({ allowedCudaVersions, minCudaVersion }),
  };
}

function isSameChoice(
  { pools, excludedTypes = [] }: Pick<GpuChanges, "excludedTypes"> & { readonly pools: string[] },
  { gpuTypeIds }: Endpoint,
): boolean {
  const present = poolsOf(gpuTypeIds);
  return (
    pools.join() === present.pools.join() &&
    excludedTypes.toSorted().join() === present.excludedTypes.toSorted().join()
  );
}

function cudaOf({ allowedCudaVersions, minCudaVersion }: GpuChanges) {
  return defined({ allowedCudaVersions, minCudaVersion });
}

function checkCuda({ allowedCudaVersions = [], minCudaVersion = "" }: CudaChoice): void {
  if (allowedCudaVersions.length > 0 && minCudaVersion !== "")
    throw invalidRequest(["gpu.allowedCudaVersions and gpu.minCudaVersion exclude each other"]);
}

type CudaChoice = Pick<Endpoint, "allowedCudaVersions" | "minCudaVersion">;

/** All flavours in their order are none, which is any, as it is with pools (ours). */
function cpuOf(cpu: NonNullable<Body["cpu"]>) {
  const [first] = cpu;
  const ids = cpu.map(({ id }) => id);
  const unknown = ids.find((id) => !ENDPOINT_CPU_FLAVORS.some((flavor) => flavor === id));
  if (unknown !== undefined) {
    const message = `there is no CPU flavor ${valueInWords(unknown)} for endpoints; there are ${ENDPOINT_CPU_FLAVORS.join(", ")}`;
    throw invalidRequest([message]);
  }
  if (new Set(ids).size < ids.length)
    throw invalidRequest(["cpu has a flavor more than once: one is possible of each"]);
  const vcpuCount = first?.vcpuCount;
  if (cpu.some((each) => each.vcpuCount !== vcpuCount))
    throw invalidRequest([
      "cpu has different values of vcpuCount; here an endpoint has one for all flavors",
    ]);
  const isAny = ids.join() === ENDPOINT_CPU_FLAVORS.join();
  return { cpuFlavorIds: isAny ? [] : ids, ...defined({ vcpuCount }) };
}

function scalingOf(scaling: CreateEndpointBody["scaling"]) {
  return scaling.type === "QUEUE_DELAY"
    ? ({ scalerType: "QUEUE_DELAY", scalerValue: scaling.queueDelay } as const)
    : ({ scalerType: "REQUEST_COUNT", scalerValue: scaling.requestCount } as const);
}

/** Whether workers of such an endpoint are kept for a while after their last job (live). */
export function hasIdleTimeout({ type, scalerType }: Pick<Endpoint, "type" | "scalerType">) {
  return type !== "QUEUE" || scalerType !== "REQUEST_COUNT";
}

function checkIdleTimeout(
  type: Endpoint["type"],
  scalerType: Endpoint["scalerType"],
  { workers }: Pick<Body, "workers">,
): void {
  if (workers?.idleTimeout === undefined || hasIdleTimeout({ type, scalerType })) return;
  const text = "idleTimeout does not apply to queue-based endpoints scaling on requestCount";
  throw unprocessable(text);
}

/** One volume is the one that `/v1` has a field for. */
function volumesOf(ids: readonly string[]) {
  const [first, ...rest] = ids;
  if (first === undefined) return {};
  return rest.length === 0 ? { networkVolumeId: first } : { networkVolumeIds: ids };
}

function timeoutOf(timeoutMs: number): number {
  const { executionTimeoutMinMs: min } = LIMITS;
  if (timeoutMs === 0 || timeoutMs >= min) return timeoutMs;
  throw invalidRequest([
    `timeout must be 0, for no limit, or ${min} (ms) or more; got ${timeoutMs}`,
  ]);
}
