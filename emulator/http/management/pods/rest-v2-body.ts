/** A pod in answers of the second version of REST: the record, its price, and its run (live). */
import { perHour } from "../../../core/billing/prices.ts";
import { flavorMemoryGb } from "../../../core/catalog/cpu-flavors.ts";
import {
  observedStatus,
  type ObservedStatus,
  possibleTransitions,
} from "../../../core/pods/pod-status.ts";
import type { Pod } from "../../../core/pods/pod.ts";
import type { GpuUse } from "../../../core/workers/gpu-allocation.ts";
import type { TimePort } from "../../../engine/time/time-port.ts";
import type { CatalogPort } from "../../../engine/resources/catalog-port.ts";
import type { PodPort } from "../../../engine/pods/pod-run.ts";
import type { PodRun } from "../../../engine/pods/pod-run.ts";
import { GB_PER_VCPU, LOOPBACK } from "./v1-body.ts";
import { containerBody } from "../templates/rest-v2-container.ts";

type Shows = TimePort & CatalogPort & PodPort;

/** States without costs. */
const FREE: ReadonlySet<ObservedStatus> = new Set(["EXITED", "ERROR", "TERMINATED"]);

/** @param uses use of this machine's GPUs */
export function podBodyV2(engine: Shows, pod: Pod, uses: readonly GpuUse[]) {
  const run = engine.podRuns.get(pod.id);
  const status = observedStatus(pod, run?.stage ?? "waiting");
  const gpuTypeId = pod.computeType === "GPU" ? pod.gpuTypeIds[0] : undefined;
  return {
    id: pod.id,
    name: pod.name,
    status,
    actions: [...possibleTransitions(status)],
    ...containerBody(pod),
    mounts: mountsOf(pod),
    ...computeOf(engine, pod, run),
    cloud: pod.cloudType,
    dataCenterId: pod.dataCenterIds?.[0] ?? null,
    globalNetworking: { enabled: pod.globalNetworking },
    template: pod.templateId ?? null,
    cudaVersion: run?.gpus[0]?.cudaVersion ?? null,
    locked: pod.locked,
    cost: FREE.has(status) ? 0 : perHour(engine.prices, { ...pod, gpuTypeId }),
    ssh: { proxy: null, direct: status === "RUNNING" ? sshOf(run) : null },
    runtime: run && status === "RUNNING" ? runtimeOf(engine, pod, run, uses) : null,
    createdAt: pod.createdAt,
    startedAt: status === "PROVISIONING" ? null : pod.lastStartedAt,
  };
}

function mountsOf({ networkVolumeId, volumeInGb, volumeMountPath: path }: Pod) {
  if (networkVolumeId !== undefined) return { network: [{ volumeId: networkVolumeId, path }] };
  return volumeInGb === null || volumeInGb === 0 ? {} : { persistent: { size: volumeInGb, path } };
}

/** A pod that takes any GPU type shows none before it has GPUs. */
function computeOf(engine: Shows, pod: Pod, run: PodRun | undefined) {
  const { vcpuCount, gpuCount: count } = pod;
  const known = engine.podMemoryInGb(pod);
  if (pod.computeType === "CPU") {
    const [id] = pod.cpuFlavorIds ?? [];
    if (id === undefined) return {};
    return { cpu: { id, vcpuCount, memory: known ?? flavorMemoryGb(id, vcpuCount) } };
  }
  const memory = known ?? vcpuCount * GB_PER_VCPU;
  const id = run?.gpus[0]?.typeId ?? pod.gpuTypeIds[0];
  return id === undefined ? {} : { gpu: { id, count, vcpuCount, memory } };
}

const SSH_PORT = "22";
const SSH_USER = "root";

/** Address of the published SSH port. Whether a server listens there depends on the image. */
function sshOf(run: PodRun | undefined) {
  const port = run?.ports?.[SSH_PORT];
  if (port === undefined) return null;
  const command = `ssh ${SSH_USER}@${LOOPBACK} -p ${port}`;
  return { host: LOOPBACK, port, username: SSH_USER, command };
}

function runtimeOf({ realClock }: TimePort, { ports }: Pod, run: PodRun, uses: readonly GpuUse[]) {
  const { runsSince = realClock.now(), gpus } = run;
  return {
    uptime: Math.floor((realClock.now() - runsSince) / 1_000),
    gpus: gpus.map(({ id }) => useOf(uses.find((use) => use.id === id))),
    ports: ports.map((each) => portOf(each, run)),
  };
}

function useOf(use: GpuUse | undefined) {
  if (use === undefined) return {};
  const { busyPercent, usedBytes, totalBytes } = use;
  return {
    ...(busyPercent !== undefined && { util: Math.round(busyPercent) }),
    ...(totalBytes > 0 && { memoryUtil: Math.round((100 * usedBytes) / totalBytes) }),
  };
}

function portOf(port: string, { ports = {} }: PodRun) {
  const [own = "", type] = port.split("/");
  const published = ports[own];
  return {
    private: Number(own),
    public: published ?? null,
    type: type === "http" ? ("http" as const) : ("tcp" as const),
    ip: published === undefined ? null : LOOPBACK,
  };
}
