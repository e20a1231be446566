/** Builds the engine's options for a worker's container: program, variables, mounts, bounds, privileges, GPUs. Pure. */
import type { ContainerCreateOptions, HostConfig, MountConfig } from "dockerode";
import type { ServerAddress, WorkerOrder } from "../../launcher.ts";
import { containerEnvironment, isServer, volumePaths } from "../../container-environment.ts";
import type { LiveService } from "../../live-environment.ts";
import { serverSettings } from "../../server-settings.ts";
import { realGpuIds } from "../../worker-environment.ts";
import type { ContainerSettings } from "../../container-settings.ts";

/** Path of the worker port's socket in a container. */
export const WORKER_SOCKET = "/run/sv-worker.sock";

/** Maximum number of processes and threads of one container. */
const PIDS_MAX = 4_096;

const GB = 1024 ** 3;

/** Maximum of shared memory: model servers need more than the engine's 64 MB. It counts as memory. */
const SHM_BYTES = 1 * GB;

/** The engine keeps a short log for `docker logs`. The emulator gets each line as it is written. */
const LOG_CONFIG = { Type: "json-file", Config: { "max-size": "10m", "max-file": "1" } };

/** How a container reaches the worker port: by a socket at that path of this machine, or over its network. */
export type WorkerPlace =
  | { readonly socket: string }
  | {
      /** In the form of `SERVICE_ADDRESS_RULE`. */
      readonly address: string;
      /** The token by which the worker identifies itself and recognizes the service. */
      readonly token: string;
    };

/** What a container gets of this machine. */
export interface ContainerPlaces {
  readonly worker: WorkerPlace;
  /** Host names for the container, like `name:address`. */
  readonly extraHosts?: readonly string[];
  /** Directory of the endpoint's network volume on this machine. */
  readonly volume: string | undefined;
  /** More variables. The template's variables override them. */
  readonly env: Readonly<Record<string, string>>;
  /** How the worker reaches the service by the live protocol; absent where it cannot. */
  readonly live?: LiveService | undefined;
  /** `uid:gid` of a container that has the least privileges. */
  readonly user: string;
}

export interface ContainerFrame {
  readonly labels: Readonly<Record<string, string>>;
  readonly settings: ContainerSettings;
  readonly places: ContainerPlaces;
  /** Whether the size of the container's disk is limited. */
  readonly limitsDisk: boolean;
  /** Name of the container's network. */
  readonly network: string;
}

export function containerOptions(
  order: WorkerOrder,
  { labels, settings, places, limitsDisk, network }: ContainerFrame,
): ContainerCreateOptions {
  const { template, endpoint, workerId } = order;
  const { dockerEntrypoint: entrypoint, dockerStartCmd: command } = template;
  return {
    name: `sv-${endpoint.id}-${workerId}`,
    Image: template.imageName,
    ...(entrypoint.length > 0 && { Entrypoint: [...entrypoint] }),
    ...(command.length > 0 && { Cmd: [...command] }),
    Env: asList({
      ...containerEnvironment(told(order, places), settings, {
        ...places,
        hasVolume: places.volume !== undefined,
        serviceAddress: addressOf(places),
      }),
      ...visibleGpus(order),
    }),
    Labels: { ...labels },
    ...(isServer(order) && { ExposedPorts: exposed(serverPorts(order)) }),
    // The emulator holds it open: a worker ends when its standard input does, because the emulator is gone.
    OpenStdin: true,
    StdinOnce: true,
    ...(!settings.asImage && { User: places.user }),
    HostConfig: {
      ...boundsOf(settings),
      NetworkMode: network,
      ...(places.extraHosts && { ExtraHosts: [...places.extraHosts] }),
      Mounts: mounts(order, places),
      ...(settings.asImage
        ? wholeDisk(template.containerDiskInGb, limitsDisk)
        : leastPrivileges(order, settings, places)),
      ...(isServer(order) && { PortBindings: publishedLocally(serverPorts(order)) }),
      ...gpuRequests(order),
    },
  };
}

/** The ports of a load balancing endpoint's server, as the engine names them. */
function serverPorts({ template }: Pick<WorkerOrder, "template">): [string, string] {
  const { port, healthPort } = serverSettings(template);
  return [`${port}/tcp`, `${healthPort}/tcp`];
}

/** Address of that server. @param published ports of this machine by the container's. @throws Error if the server has ended */
export function serverAddress(
  order: WorkerOrder,
  published: ReadonlyMap<string, number>,
): ServerAddress {
  const [port = 0, healthPort = 0] = serverPorts(order).map((name) => published.get(name));
  if (port === 0)
    throw new Error("the container's server ended at once, or its port is not published");
  return { port, healthPort, healthPath: serverSettings(order.template).healthPath };
}

/** The limits of every container, a worker's or a pod's. */
export function boundsOf({ memoryBytes, cpus }: ContainerSettings): HostConfig {
  return {
    Init: true,
    Memory: memoryBytes,
    MemorySwap: memoryBytes,
    PidsLimit: PIDS_MAX,
    ShmSize: SHM_BYTES,
    LogConfig: LOG_CONFIG,
    ...(cpus !== undefined && { NanoCpus: Math.round(cpus * 1e9) }),
  };
}

/** @param ports like `80/tcp` */
export function exposed(ports: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(ports.map((port) => [port, {}]));
}

/** Publishes each port at a free one of the loopback address. */
export function publishedLocally(ports: readonly string[]) {
  return Object.fromEntries(ports.map((port) => [port, [{ HostIp: "127.0.0.1", HostPort: "" }]]));
}

function leastPrivileges(
  order: WorkerOrder,
  { tmpBytes }: ContainerSettings,
  places: ContainerPlaces,
): HostConfig {
  const isTaken = mounts(order, places).some(({ Target: target }) => target === "/tmp");
  return {
    ReadonlyRootfs: true,
    ...(!isTaken && { Tmpfs: { "/tmp": `rw,noexec,nosuid,nodev,mode=1777,size=${tmpBytes}` } }),
    CapDrop: ["ALL"],
    SecurityOpt: ["no-new-privileges"],
  };
}

/** @param sizeInGb 0 for no limit */
export function wholeDisk(sizeInGb: number, limitsDisk: boolean): HostConfig {
  return limitsDisk && sizeInGb > 0 ? { StorageOpt: { size: `${sizeInGb}G` } } : {};
}

/** Overrides the `all` that images for GPUs set. */
export function visibleGpus(order: Pick<WorkerOrder, "gpus">) {
  return { NVIDIA_VISIBLE_DEVICES: realGpuIds(order).join(",") || "void" };
}

/** Variables in the form of the engine. */
export function asList(variables: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(variables).map(([name, value]) => `${name}=${String(value)}`);
}

function addressOf({ worker }: ContainerPlaces): string {
  return "socket" in worker ? `unix:${WORKER_SOCKET}` : worker.address;
}

function told(order: WorkerOrder, { worker }: ContainerPlaces): WorkerOrder {
  return "socket" in worker ? order : { ...order, workerToken: worker.token };
}

function mounts(order: WorkerOrder, { worker, volume }: ContainerPlaces): MountConfig {
  const { template } = order;
  const mounted = "socket" in worker && !isServer(order);
  const socket = mounted ? [bind(worker.socket, WORKER_SOCKET)] : [];
  if (volume === undefined) return socket;
  return [...socket, ...volumePaths(template).map((target) => bind(volume, target))];
}

export function bind(source: string, target: string) {
  return { Type: "bind", Source: source, Target: target } as const;
}

export function gpuRequests(order: Pick<WorkerOrder, "gpus">): HostConfig {
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
