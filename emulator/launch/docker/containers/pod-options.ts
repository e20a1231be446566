/** Builds the options of a pod's container: program, variables, ports, disks, limits, GPUs. Pure. */
import type { ContainerCreateOptions, MountConfig } from "dockerode";
import type { Pod } from "../../../core/pods/pod.ts";
import { mountPoint } from "../../container-environment.ts";
import type { ContainerSettings } from "../../container-settings.ts";
import { livePlace } from "../../live-location.ts";
import type { PodOrder, PodPorts } from "../../pod-launcher.ts";
import { toldGpus } from "../../worker-environment.ts";
import { type BaseFrame, baseOptions, bind, wholeDisk } from "./base-options.ts";

export interface PodFrame extends BaseFrame {
  /** Labels of the pod's volume, which outlives the container. */
  readonly volumeLabels: Readonly<Record<string, string>>;
  readonly networkVolume: string | undefined;
}

/** The container has the privileges that its image asks for, because a pod is a machine to work on. */
export function podOptions(order: PodOrder, frame: PodFrame): ContainerCreateOptions {
  const { pod, runId, gpus } = order;
  const { settings, limitsDisk } = frame;
  const base = baseOptions(
    {
      name: `sv-pod-${pod.id}-${runId}`,
      image: pod,
      env: {
        ...placeOf(order, settings),
        ...pod.env,
        ...toldGpus(order),
        RUNPOD_POD_ID: pod.id,
      },
      ports: enginePorts(pod),
      mounts: mounts(pod, frame),
      gpus,
    },
    frame,
  );
  const disk = wholeDisk(pod.containerDiskInGb ?? 0, limitsDisk);
  return { ...base, HostConfig: { ...base.HostConfig, ...disk } };
}

/** The variables of the live service that describe the machine. The pod's own override them. */
function placeOf({ pod, gpus }: PodOrder, { cpus, memoryBytes }: ContainerSettings) {
  const { id, gpuTypeIds, dataCenterIds, networkVolumeId: volumeId, vcpuCount } = pod;
  const cpuCount = cpus === undefined ? vcpuCount : Math.ceil(cpus);
  return livePlace({ id, gpus, gpuTypeIds, cpuCount, memoryBytes, volumeId, dataCenterIds });
}

/** The published ports, by the pod's own ports. */
export function podPorts(pod: Pod, published: ReadonlyMap<string, number>): PodPorts {
  return Object.fromEntries(
    enginePorts(pod).flatMap((name) => {
      const port = published.get(name);
      return port === undefined ? [] : [[name.replace("/tcp", ""), port]];
    }),
  );
}

/** The engine knows HTTP ports as TCP ports. */
function enginePorts({ ports }: Pod): readonly string[] {
  return [...new Set(ports.map((each) => each.replace("/http", "/tcp")))];
}

/** The network volume, or the pod's own volume, which is kept until the pod is deleted. */
function mounts(pod: Pod, { networkVolume, volumeLabels }: PodFrame): MountConfig {
  const target = mountPoint(pod);
  if (networkVolume !== undefined) return [bind(networkVolume, target)];
  if (pod.volumeInGb === null || pod.volumeInGb === 0) return [];
  const options = { NoCopy: false, Labels: { ...volumeLabels } };
  const driver = { DriverConfig: { Name: "local", Options: {} } };
  const own = { Type: "volume", Source: podVolume(pod.id), Target: target } as const;
  return [{ ...own, VolumeOptions: { ...options, ...driver } }];
}

function podVolume(podId: string): string {
  return `sv-pod-${podId}`;
}
