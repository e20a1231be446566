/** Turns endpoint bodies of the second version of REST into our fields, and checks rules between fields (live). Pure. */
import { defined } from "../../../../runtime/protocol/without-undefined.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { ENDPOINT_CPU_FLAVORS } from "../../../core/catalog/cpu-flavors.ts";
import { valueInWords } from "../../../core/input/problem-messages.ts";
import { ENDPOINT_FIELDS } from "../../../core/resources/endpoints/endpoint-fields.ts";
import {
  type EndpointChanges,
  workersMinProblem,
} from "../../../core/resources/endpoints/endpoint-input.ts";
import { type Endpoint, scalerProblem } from "../../../core/resources/endpoints/endpoint.ts";
import { defaultsOf } from "../../../core/resources/fields.ts";
import { poolsOf, typesOf } from "../../../core/resources/endpoints/gpu-pools.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import type { InlineEndpointInput } from "../../../engine/resources/endpoints/manage-endpoints.ts";
import { readBody } from "../rest-v2/fields.ts";
import { unprocessable } from "../rest-v2/problem.ts";
import type { CreateEndpointBody, UpdateEndpointBody } from "./rest-v2-schemas.ts";

/** Defaults that differ from ours. The live service sets no time limit by default, although its document says otherwise. */
const DEFAULTS = {
  ...defaultsOf(ENDPOINT_FIELDS),
  idleTimeout: 10,
  executionTimeoutMs: 0,
  flashboot: false,
};

export type EndpointSettings = Omit<InlineEndpointInput, "container" | "copyOf">;

type Body = CreateEndpointBody | UpdateEndpointBody;

/** @throws ServiceError invalid_request, unprocessable */
export function endpointSettingsOf(body: CreateEndpointBody): EndpointSettings {
  const { gpu, cpu, scaling, networkVolumes = [] } = body;
  if ((gpu === undefined) === (cpu === undefined))
    throw invalidRequest(["exactly one of gpu and cpu is required"]);
  // The schema requires the name.
  const { name = "", ...read } = defined(readBody(ENDPOINT_FIELDS, body));
  const settings = { ...DEFAULTS, ...read, name, ...scalingOf(scaling) };
  checkIdleTimeout(settings, read);
  checkCuda(read);
  checkBounds(settings);
  return {
    ...settings,
    computeType: gpu === undefined ? "CPU" : "GPU",
    gpuTypeIds: gpu === undefined ? [] : typesOf(gpu.pools, gpu.excludedTypes),
    ...(cpu && cpuOf(cpu)),
    ...volumesOf(networkVolumes),
    executionTimeoutMs: timeoutOf(settings.executionTimeoutMs),
  };
}

/** Checks a new endpoint. The use case checks the bounds of changes. */
function checkBounds(
  settings: Pick<Endpoint, "type" | "scalerType" | "workersMin" | "workersMax">,
): void {
  const tooMany = workersMinProblem(settings);
  if (tooMany !== undefined) throw invalidRequest([`workersMin ${tooMany}`]);
  const wrongScaler = scalerProblem(settings.type, settings.scalerType);
  if (wrongScaler !== undefined) throw invalidRequest([`scalerType ${wrongScaler}`]);
}

/** @throws ServiceError invalid_request, unprocessable */
export function endpointChangesOf(body: UpdateEndpointBody, present: Endpoint): EndpointChanges {
  const { gpu, cpu, networkVolumes } = body;
  if (gpu !== undefined && present.computeType === "CPU")
    throw invalidRequest(["gpu is not possible: the endpoint was created with cpu"]);
  if (cpu !== undefined && present.computeType === "GPU")
    throw invalidRequest(["cpu is not possible: the endpoint was created with gpu"]);
  const scaling = body.scaling && scalingOf(body.scaling);
  const read = readBody(ENDPOINT_FIELDS, body);
  const { executionTimeoutMs: timeout } = read;
  checkIdleTimeout({ ...present, ...scaling }, read);
  return {
    ...read,
    ...(gpu && gpuChangesOf(gpu, read, present)),
    ...(cpu && cpuOf(cpu)),
    ...scaling,
    ...(networkVolumes && {
      networkVolumeId: "",
      networkVolumeIds: [],
      ...volumesOf(networkVolumes),
    }),
    ...(timeout !== undefined && { executionTimeoutMs: timeoutOf(timeout) }),
  };
}

type GpuChanges = NonNullable<UpdateEndpointBody["gpu"]>;

function gpuChangesOf(
  { pools, excludedTypes }: GpuChanges,
  { allowedCudaVersions, minCudaVersion }: CudaChoice,
  present: Endpoint,
): EndpointChanges {
  if (excludedTypes !== undefined && pools === undefined)
    throw invalidRequest(["gpu.excludedTypes needs gpu.pools beside it"]);
  if (allowedCudaVersions !== undefined || minCudaVersion !== undefined)
    checkCuda({ ...present, ...defined({ allowedCudaVersions, minCudaVersion }) });
  const isSame = pools !== undefined && isSameChoice({ pools, excludedTypes }, present);
  // A choice of pools has no order of types. If it equals the present choice, the present order stays.
  return pools === undefined || isSame ? {} : { gpuTypeIds: typesOf(pools, excludedTypes) };
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

function checkCuda({ allowedCudaVersions = [], minCudaVersion = "" }: CudaChoice): void {
  if (allowedCudaVersions.length > 0 && minCudaVersion !== "")
    throw invalidRequest(["allowedCudaVersions and minCudaVersion exclude each other"]);
}

type CudaChoice = Pick<Endpoint, "allowedCudaVersions" | "minCudaVersion">;

/** The complete list of flavours is stored as an empty list, which means any flavour (ours). */
function cpuOf(cpu: NonNullable<Body["cpu"]>) {
  const [first] = cpu;
  const ids = cpu.map(({ id }) => id);
  const unknown = ids.find((id) => !ENDPOINT_CPU_FLAVORS.some((flavor) => flavor === id));
  if (unknown !== undefined) {
    const message = `there is no CPU flavor ${valueInWords(unknown)} for endpoints; there are ${ENDPOINT_CPU_FLAVORS.join(", ")}`;
    throw invalidRequest([message]);
  }
  if (new Set(ids).size < ids.length) throw invalidRequest(["cpu names a flavor more than once"]);
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

/** Whether idle workers of the endpoint wait for a timeout before they end (live). */
export function hasIdleTimeout({ type, scalerType }: Pick<Endpoint, "type" | "scalerType">) {
  return type !== "QUEUE" || scalerType !== "REQUEST_COUNT";
}

function checkIdleTimeout(
  kind: Pick<Endpoint, "type" | "scalerType">,
  { idleTimeout }: Pick<EndpointChanges, "idleTimeout">,
): void {
  if (idleTimeout === undefined || hasIdleTimeout(kind)) return;
  const text = "idleTimeout does not apply to queue-based endpoints scaling on requestCount";
  throw unprocessable(text);
}

/** A single volume is stored in the field that `/v1` has. */
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
