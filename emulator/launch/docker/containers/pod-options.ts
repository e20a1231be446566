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
  /** Labels of the pod's volume, which outlives the container. */
  readonly volumeLabels: Readonly<Record<string, string>>;
  readonly settings: ContainerSettings;
  /** Directory of the network volume on this machine. */
  readonly networkVolume: string | undefined;
  /** Whether the size of the container's disk is limited. */
  readonly limitsDisk: boolean;
  /** Name of the container's network. */
  readonly network: string;
}

/** A pod has the privileges that its image asks for: it is a machine to work on. */
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
    // The emulator holds it open: a shell waits for input instead of ending.
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

/** The variables of the live service that describe the machine. The pod's own override them. */
function placeOf({ pod, gpus }: PodOrder, { cpus, memoryBytes }: ContainerSettings) {
  const { id, gpuTypeIds, dataCenterIds, networkVolumeId: volumeId, vcpuCount } = pod;
  const cpuCount = cpus === undefined ? vcpuCount : Math.ceil(cpus);
  return livePlace({ id, gpus, gpuTypeIds, cpuCount, memoryBytes, volumeId, dataCenterIds });
}

/** The published ports by the pod's own. */
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
