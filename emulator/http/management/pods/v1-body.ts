/** A pod in answers of the management interface (live): the record, its price, and related resources on request. */
import { perHour } from "../../../core/billing/prices.ts";
import type { Flags } from "../../../core/input/query-parameters.ts";
import type { Pod } from "../../../core/pods/pod.ts";
import { withoutNewerFields } from "../../../core/resources/templates/template.ts";
import type { CatalogPort } from "../../../engine/resources/catalog-port.ts";
import type { PodPort } from "../../../engine/pods/pod-run.ts";
import { USER_ID } from "../account/user-id.ts";
import { volumeBody } from "../network-volumes/volume-body.ts";
import type { podQuery } from "../../schemas/pod.ts";
import type { ShownPod } from "../../operation/dialect.ts";

/** Id of the only machine (ours). */
export const MACHINE_ID = "local";
const DATA_CENTER_ID = "LOCAL";
/** Memory per vCPU of a pod without a run, GB (live). */
export const GB_PER_VCPU = 2;
/** Address of the pods' ports. */
export const LOOPBACK = "127.0.0.1";

export function podBody(
  engine: CatalogPort & PodPort,
  pod: Pod,
  flags: Flags<keyof typeof podQuery.shape>,
): ShownPod {
  const gpuTypeId = pod.computeType === "GPU" ? pod.gpuTypeIds[0] : undefined;
  const costPerHr = perHour(engine.prices, { ...pod, gpuTypeId });
  return {
    ...shown(pod),
    memoryInGb: engine.podMemoryInGb(pod) ?? pod.vcpuCount * GB_PER_VCPU,
    ...reachedAt(engine, pod),
    costPerHr,
    adjustedCostPerHr: costPerHr,
    ...(gpuTypeId !== undefined && {
      gpu: { id: gpuTypeId, displayName: gpuTypeId, count: pod.gpuCount },
    }),
    ...(flags.includeMachine && { machine: machineOf(pod, gpuTypeId, costPerHr) }),
    ...(flags.includeNetworkVolume && volumeOf(engine, pod)),
    ...(flags.includeSavingsPlans && { savingsPlans: [] }),
    ...(flags.includeTemplate && templateOf(engine, pod)),
  };
}

function shown(pod: Pod) {
  return {
    id: pod.id,
    name: pod.name,
    image: pod.imageName,
    ...(pod.templateId !== undefined && { templateId: pod.templateId }),
    desiredStatus: pod.desiredStatus,
    consumerUserId: USER_ID,
    machineId: MACHINE_ID,
    ...(pod.computeType === "CPU" && { cpuFlavorId: pod.cpuFlavorIds?.[0] }),
    vcpuCount: pod.vcpuCount,
    containerDiskInGb: pod.containerDiskInGb,
    volumeInGb: pod.volumeInGb,
    volumeMountPath: pod.volumeMountPath,
    volumeEncrypted: false,
    containerRegistryAuthId: pod.containerRegistryAuthId,
    dockerEntrypoint: pod.dockerEntrypoint,
    dockerStartCmd: pod.dockerStartCmd,
    env: pod.env,
    ports: pod.ports,
    interruptible: pod.interruptible,
    locked: pod.locked,
    lastStartedAt: pod.lastStartedAt,
    lastStatusChange: pod.lastStatusChange,
  };
}

/** Null without a run; ports are open on this machine only (ours). */
function reachedAt({ podRuns }: PodPort, { id }: Pod) {
  const portMappings = podRuns.get(id)?.ports ?? null;
  return { publicIp: portMappings && LOOPBACK, portMappings };
}

function machineOf(pod: Pod, gpuTypeId: string | undefined, costPerHr: number) {
  return {
    ...(gpuTypeId !== undefined && { gpuTypeId }),
    dataCenterId: pod.dataCenterIds?.[0] ?? DATA_CENTER_ID,
    cpuCount: pod.vcpuCount,
    secureCloud: pod.cloudType === "SECURE",
    supportPublicIp: false,
    costPerHr,
  };
}

function volumeOf(engine: CatalogPort, { networkVolumeId }: Pod) {
  if (networkVolumeId === undefined) return {};
  const networkVolume = engine.directory.findVolume(networkVolumeId);
  return networkVolume ? { networkVolume: volumeBody(networkVolume) } : {};
}

function templateOf(engine: CatalogPort, { templateId }: Pod) {
  if (templateId === undefined) return {};
  const template = engine.directory.findTemplate(templateId);
  return template ? { template: withoutNewerFields(template) } : {};
}
