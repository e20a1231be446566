/** Builds the container options that workers and pods share. Pure. */
import type { ContainerCreateOptions, HostConfig, MountConfig } from "dockerode";
import type { Template } from "../../../core/resources/templates/template.ts";
import type { ContainerSettings } from "../../container-settings.ts";
import type { WorkerOrder } from "../../launcher.ts";
import { realGpuIds } from "../../worker-environment.ts";

/** The engine keeps a short log for `docker logs`. The emulator gets each line as it is written. */
const LOG_CONFIG = { Type: "json-file", Config: { "max-size": "10m", "max-file": "1" } };

export interface BaseFrame {
  readonly labels: Readonly<Record<string, string>>;
  readonly settings: ContainerSettings;
  /** Whether the size of the container's disk is limited. */
  readonly limitsDisk: boolean;
  /** Name of the container's network. */
  readonly network: string;
}

/** The options that differ between containers. */
interface BaseContainer extends Pick<WorkerOrder, "gpus"> {
  readonly name: string;
  readonly image: Pick<Template, "dockerEntrypoint" | "dockerStartCmd" | "imageName">;
  readonly env: Readonly<Record<string, string>>;
  /** Ports like `80/tcp`, each of which is published at a free port of the loopback address. */
  readonly ports: readonly string[];
  readonly mounts: MountConfig;
}

export function baseOptions(
  { name, image, env, ports, mounts, gpus }: BaseContainer,
  { labels, settings, network }: BaseFrame,
): ContainerCreateOptions {
  const { dockerEntrypoint: entrypoint, dockerStartCmd: command } = image;
  // Set explicitly, because images for GPUs set the variable to `all`.
  const visible = { NVIDIA_VISIBLE_DEVICES: realGpuIds({ gpus }).join(",") || "void" };
  const published = <T>(value: T) =>
    Object.fromEntries(ports.map((port): [string, T] => [port, value]));
  return {
    name,
    Image: image.imageName,
    ...(settings.platform !== undefined && { platform: settings.platform }),
    ...(entrypoint.length > 0 && { Entrypoint: [...entrypoint] }),
    ...(command.length > 0 && { Cmd: [...command] }),
    Env: Object.entries({ ...env, ...visible }).map(([key, value]) => `${key}=${value}`),
    Labels: { ...labels },
    // The emulator keeps standard input open.
    OpenStdin: true,
    ExposedPorts: published({}),
    HostConfig: {
      ...boundsOf(settings),
      NetworkMode: network,
      Mounts: mounts,
      PortBindings: published([{ HostIp: "127.0.0.1", HostPort: "" }]),
      ...gpuRequests({ gpus }),
    },
  };
}

/** The limits of the containers of workers and pods. */
function boundsOf(settings: ContainerSettings): HostConfig {
  const { memoryBytes, cpus, shmBytes, pids, memlockBytes } = settings;
  // The engine's value for no limit.
  const memlock = memlockBytes === Infinity ? -1 : memlockBytes;
  return {
    Init: true,
    Memory: memoryBytes,
    MemorySwap: memoryBytes,
    PidsLimit: pids,
    ShmSize: shmBytes,
    ...(memlock !== undefined && { Ulimits: [{ Name: "memlock", Soft: memlock, Hard: memlock }] }),
    LogConfig: LOG_CONFIG,
    ...(cpus !== undefined && { NanoCpus: Math.round(cpus * 1e9) }),
  };
}

function gpuRequests(order: Pick<WorkerOrder, "gpus">): HostConfig {
  const ids = realGpuIds(order);
  if (ids.length === 0) return {};
  const request = {
    Driver: "",
    Count: 0,
    DeviceIDs: [...ids],
    Capabilities: [["gpu"]],
    Options: {},
  };
  return { DeviceRequests: [request] };
}

/** @param sizeInGb 0 for no limit */
export function wholeDisk(sizeInGb: number, limitsDisk: boolean): HostConfig {
  return limitsDisk && sizeInGb > 0 ? { StorageOpt: { size: `${sizeInGb}G` } } : {};
}

export function bind(source: string, target: string) {
  return { Type: "bind", Source: source, Target: target } as const;
}
