/** Builds the engine's options for a pod's container: program, variables, ports, disks, bounds, GPUs. Pure. */
import type { ContainerCreateOptions, MountConfig } from "dockerode";
import type { Pod } from "../../../core/pods/pod.ts";
import { mountPoint } from "../../container-environment.ts";
import { livePlace } from "../../live-location.ts";
import type { PodOrder, PodPorts } from "../../pod-launcher.ts";
import { toldGpus } from "../../worker-environment.ts";
import {
  asList,
  bind,
  boundsOf,
  exposed,
  gpuRequests,
  publishedLocally,
  visibleGpus,
  wholeDisk,
} from "./container-options.ts";
import type { ContainerSettings } from "../../container-settings.ts";

export interface PodFrame {
  readonly labels: Readonly<Record<string, string>>;
  /** Put on its volume, which outlives the container. */
  readonly volumeLabels: Readonly<Record<string, string>>;
  readonly settings: ContainerSettings;
  /** Directory of its network volume here. */
  readonly networkVolume: string | undefined;
  /** Whether the engine can limit the size of a container's disk. */
  readonly limitsDisk: boolean;
  /** Name of the network that it is on. */
  readonly network: string;
}

/** It runs as its image wants it: a pod is a machine to work on. */
export function podOptions(order: PodOrder, frame: PodFrame): ContainerCreateOptions {
  const { pod, runId } = order;
  const { dockerEntrypoint: entrypoint, dockerStartCmd: command } = pod;
  const { labels, settings, limitsDisk, network } = frame;
  const ports = enginePorts(pod);
  return {
    name: `sv-pod-${pod.id}-${runId}`,
    Image: pod.imageName,
    ...(entrypoint.length > 0 && { Entrypoint: [...entrypoint] }),
    ...(command.length > 0 && { Cmd: [...command] }),
    Env: asList({
      ...placeOf(order, settings),
      ...pod.env,
      ...toldGpus(order),
      ...visibleGpus(order),
      RUNPOD_POD_ID: pod.id,
    }),
    Labels: { ...labels },
    ExposedPorts: exposed(ports),
    // Held open by the emulator, so that a shell as its program waits.
    OpenStdin: true,
    HostConfig: {
      ...boundsOf(settings),
      NetworkMode: network,
      ...wholeDisk(pod.containerDiskInGb ?? 0, limitsDisk),
      Mounts: mounts(pod, frame),
      PortBindings: publishedLocally(ports),
      ...gpuRequests(order),
    },
  };
}

/** Its env may say otherwise. */
function placeOf({ pod, gpus }: PodOrder, { cpus, memoryBytes }: ContainerSettings) {
  const { id, gpuTypeIds, dataCenterIds, networkVolumeId: volumeId, vcpuCount } = pod;
  const cpuCount = cpus === undefined ? vcpuCount : Math.ceil(cpus);
  return livePlace({ id, gpus, gpuTypeIds, cpuCount, memoryBytes, volumeId, dataCenterIds });
}

/** What the engine has published, by the pod's own ports. */
export function podPorts(pod: Pod, published: ReadonlyMap<string, number>): PodPorts {
  return Object.fromEntries(
    enginePorts(pod).flatMap((name) => {
      const port = published.get(name);
      return port === undefined ? [] : [[name.replace("/tcp", ""), port]];
    }),
  );
}

/** HTTP is TCP to the engine. */
function enginePorts({ ports }: Pod): readonly string[] {
  return [...new Set(ports.map((each) => each.replace("/http", "/tcp")))];
}

/** The network volume, or else its own, which is kept under the pod's id until the pod is deleted. */
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
