/** Turns REST v2 pod bodies into the input of the pod use cases (live; choices of ours are marked). Pure. */
import { POD_CPU_FLAVORS } from "../../../core/catalog/cpu-flavors.ts";
import {
  type PodChanges,
  type PodInput,
  readPodChanges,
  readPodInput,
} from "../../../core/pods/pod-input.ts";
import type { Pod } from "../../../core/pods/pod.ts";
import { type ServerSecrets, serverVariables } from "../../../core/pods/server-variables.ts";
import type { Template } from "../../../core/resources/templates/template.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import { GPU_TYPE, noGpuType } from "../../../core/workers/gpu-type.ts";
import { containerOf } from "../templates/rest-v2-container.ts";
import { unprocessable } from "../rest-v2/problem.ts";
import type { CreatePodV2, UpdatePodV2 } from "./rest-v2-schemas.ts";

export interface Resolved extends ServerSecrets {
  readonly template: Template | undefined;
}

/**
 * A new pod. The template fills in container fields that the body does not name; environment variables are merged one by one.
 * Without a template the container has no ports and no volume (live).
 * @throws ServiceError invalid_request for a broken rule between fields; unprocessable for a template of workers
 */
export function podInputOf(body: CreatePodV2, resolved: Resolved): PodInput {
  const { template } = resolved;
  const { name, templateId, cloud, gpu, cpu, dataCenterIds, globalNetworking } = body;
  if (template?.isServerless === true) throw workersTemplate();
  if ((gpu === undefined) === (cpu === undefined))
    throw invalidRequest(["exactly one of gpu and cpu is required"]);
  const { dockerArgs, env, ...container } = containerOf(body);
  const input = readPodInput({
    name,
    ...(templateId !== undefined && { templateId }),
    ports: template?.ports ?? [],
    ...container,
    env: { ...serversOf(body, resolved), ...template?.env, ...env },
    ...volumesOf(body, template),
    cloudType: cloud,
    globalNetworking,
    ...(dataCenterIds !== undefined && { dataCenterIds }),
    ...gpuFields(gpu),
    ...cpuFields(cpu),
  });
  return { ...input, dockerArgs, minCudaVersion: gpu?.minCudaVersion };
}

function serversOf({ startSsh, startJupyter }: CreatePodV2, { template, ...secrets }: Resolved) {
  const wanted = {
    startSsh: startSsh ?? template?.startSsh,
    startJupyter: startJupyter ?? template?.startJupyter,
  };
  return serverVariables(wanted, secrets);
}

function gpuFields(gpu: CreatePodV2["gpu"]) {
  if (gpu === undefined) return {};
  const { id, count, allowedCudaVersions, minRamPerGpu, minVcpuCountPerGpu } = gpu;
  if (!GPU_TYPE.test(id)) throw invalidRequest([`gpu.id ${noGpuType(id)}`]);
  return {
    computeType: "GPU",
    gpuTypeIds: [id],
    gpuCount: count,
    ...(allowedCudaVersions !== undefined && { allowedCudaVersions }),
    ...(minRamPerGpu !== undefined && { minRAMPerGPU: minRamPerGpu }),
    ...(minVcpuCountPerGpu !== undefined && { minVCPUPerGPU: minVcpuCountPerGpu }),
  };
}

function cpuFields(cpu: CreatePodV2["cpu"]) {
  if (cpu === undefined) return {};
  const { id, vcpuCount } = cpu;
  if (!POD_CPU_FLAVORS.some((flavor) => flavor === id))
    throw invalidRequest([`cpu.id must be one of ${POD_CPU_FLAVORS.join(", ")}; got "${id}"`]);
  if (!Number.isInteger(Math.log2(vcpuCount)))
    throw invalidRequest([`cpu.vcpuCount must be a power of two; got ${vcpuCount}`]);
  return { computeType: "CPU", cpuFlavorIds: [id], vcpuCount };
}

/** A GPU pod without mounts gets its template's volume; no pod has both kinds of volume. */
function volumesOf({ mounts, cpu }: CreatePodV2, template: Template | undefined) {
  const { persistent, network = [] } = mounts ?? {};
  const [attached] = network;
  if (persistent && attached)
    throw invalidRequest(["mounts can have only one of persistent and network"]);
  if (persistent && cpu) throw invalidRequest(["a CPU pod cannot have mounts.persistent"]);
  if (attached)
    return { volumeInGb: null, networkVolumeId: attached.volumeId, volumeMountPath: attached.path };
  if (persistent) return { volumeInGb: persistent.size, volumeMountPath: persistent.path };
  return mounts === undefined && template !== undefined && cpu === undefined
    ? {}
    : { volumeInGb: null };
}

/**
 * Changes of a pod. If the body names a template, it fills in container fields that the body does not name.
 * @throws ServiceError invalid_request for a change of a fixed field; unprocessable for a template of workers
 */
export function podChangesOf(
  pod: Pod,
  body: UpdatePodV2,
  template: Template | undefined,
): PodChanges {
  if (template?.isServerless === true) throw workersTemplate();
  const { name, globalNetworking, locked } = body;
  const { dockerArgs, env, ...container } = containerOf(body);
  const changes = readPodChanges({
    ...(template && ofTemplate(template)),
    ...container,
    ...((template ?? env) && { env: { ...template?.env, ...env } }),
    ...mountChanges(pod, body.mounts),
    ...(name !== undefined && { name }),
    ...(globalNetworking !== undefined && { globalNetworking }),
    ...(locked !== undefined && { locked }),
  });
  return { ...changes, ...(dockerArgs !== undefined && { dockerArgs }) };
}

function ofTemplate(template: Template) {
  const { imageName, containerDiskInGb, ports, containerRegistryAuthId = "" } = template;
  const { dockerEntrypoint, dockerStartCmd } = template;
  const container = { imageName, containerDiskInGb, ports, containerRegistryAuthId };
  return { ...container, dockerEntrypoint, dockerStartCmd };
}

/**
 * Refuses a change of the kind of volume, or of the network volume: both are fixed at creation. Absent mounts change nothing
 * (live).
 */
function mountChanges(
  { networkVolumeId, volumeInGb }: Pod,
  { persistent, network }: NonNullable<UpdatePodV2["mounts"]> = {},
) {
  if (persistent && network)
    throw invalidRequest(["mounts can have only one of persistent and network"]);
  if (network) {
    const [attached] = network;
    if (attached === undefined || attached.volumeId !== networkVolumeId)
      throw invalidRequest(["mounts.network is set at creation; only its path can be changed"]);
    return { volumeMountPath: attached.path };
  }
  if (persistent === undefined) return {};
  if (networkVolumeId !== undefined || (volumeInGb ?? 0) === 0)
    throw invalidRequest([
      "mounts.persistent cannot be added to a pod that was created without it",
    ]);
  return { volumeInGb: persistent.size, volumeMountPath: persistent.path };
}

function workersTemplate() {
  return unprocessable(
    "templateId names a template of serverless workers; a pod needs one for pods",
  );
}
