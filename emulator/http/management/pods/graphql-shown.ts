/** A pod in GraphQL answers: the record, its price, and its addresses while its program runs (live). */
import type { WorkerPort } from "../../../engine/workers/worker-port.ts";
import { perHour } from "../../../core/billing/prices.ts";
import type { Pod } from "../../../core/pods/pod.ts";
import { argsOf } from "../../../core/resources/templates/docker-args.ts";
import type { GpuUse } from "../../../core/workers/gpu-allocation.ts";
import type { TimePort } from "../../../engine/time/time-port.ts";
import type { CatalogPort } from "../../../engine/resources/catalog-port.ts";
import type { PodPort } from "../../../engine/pods/pod-run.ts";
import type { PodRun } from "../../../engine/pods/pod-run.ts";
import { GB_PER_VCPU, LOOPBACK, MACHINE_ID } from "./v1-body.ts";

type Shows = TimePort & CatalogPort & PodPort & WorkerPort;

export function shownPod(engine: Shows, pod: Pod) {
  const { env, ports, ...shown } = pod;
  const run = engine.podRuns.get(pod.id);
  const isRunning = run?.stage === "running";
  const uptimeSeconds = isRunning ? uptimeOf(engine, run) : 0;
  return {
    ...shown,
    podType: pod.interruptible ? "INTERRUPTABLE" : "RESERVED",
    costPerHr: hourlyCost(engine, pod),
    dockerArgs: argsOf(pod),
    dockerId: null,
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    gpuCount: pod.computeType === "GPU" ? pod.gpuCount : 0,
    memoryInGb: Math.round(engine.podMemoryInGb(pod) ?? pod.vcpuCount * GB_PER_VCPU),
    machineId: MACHINE_ID,
    port: null,
    ports: ports.join(","),
    uptimeSeconds,
    machine: machineOf(pod, run),
    runtime: isRunning ? () => runtimeOf(engine, pod, run, uptimeSeconds) : null,
  };
}

/** US dollars per hour. */
export function hourlyCost({ prices }: CatalogPort, pod: Pod): number {
  const gpuTypeId = pod.computeType === "GPU" ? pod.gpuTypeIds[0] : undefined;
  return perHour(prices, { ...pod, gpuTypeId });
}

function machineOf({ id, gpuTypeIds, computeType, dataCenterIds }: Pod, run: PodRun | undefined) {
  const gpuTypeId = run?.gpus[0]?.typeId ?? gpuTypeIds[0] ?? null;
  return {
    // Host id by which a proxy for SSH would find the pod.
    podHostId: id,
    gpuDisplayName: computeType === "GPU" ? gpuTypeId : null,
    location: dataCenterIds?.[0] ?? null,
    gpuAvailable: null,
    maintenanceStart: null,
    maintenanceEnd: null,
    maintenanceNote: null,
  };
}

function uptimeOf({ realClock }: TimePort, { runsSince }: PodRun): number {
  const now = realClock.now();
  return Math.floor((now - (runsSince ?? now)) / 1_000);
}

async function runtimeOf(engine: Shows, pod: Pod, run: PodRun, uptimeInSeconds: number) {
  const isReal = run.gpus.some(({ isSimulated }) => !isSimulated);
  const uses = isReal ? await engine.gpuUse() : [];
  return {
    uptimeInSeconds,
    ports: pod.ports.flatMap((port) => portOf(port, run) ?? []),
    gpus: run.gpus.map(({ id }) => ({ id, ...useOf(uses.find((use) => use.id === id)) })),
    // Not measured.
    container: null,
  };
}

/** Undefined for a port that cannot be reached from outside. There is no proxy for HTTP ports. */
function portOf(port: string, { ports = {} }: PodRun) {
  const [own = "", type] = port.split("/");
  const publicPort = ports[own];
  if (publicPort === undefined) return undefined;
  // Clients look for a reachable address among the public ones.
  return { ip: LOOPBACK, isIpPublic: true, privatePort: Number(own), publicPort, type };
}

function useOf(use: GpuUse | undefined) {
  if (use === undefined) return { gpuUtilPercent: null, memoryUtilPercent: null };
  const { busyPercent = null, usedBytes, totalBytes } = use;
  const memoryUtilPercent = totalBytes > 0 ? Math.round((100 * usedBytes) / totalBytes) : null;
  return { gpuUtilPercent: busyPercent, memoryUtilPercent };
}
