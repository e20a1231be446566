/** Builds the engine's options for a worker's container: program, variables, mounts, bounds, privileges, GPUs. Pure. */
import type { ContainerCreateOptions, HostConfig, MountConfig } from "dockerode";
import type { ServerAddress, WorkerOrder } from "../../launcher.ts";
import { containerEnvironment, isServer, volumePaths } from "../../container-environment.ts";
import type { LiveService } from "../../live-environment.ts";
import { serverSettings } from "../../server-settings.ts";
import { realGpuIds } from "../../worker-environment.ts";
import type { ContainerSettings } from "../../container-settings.ts";

/** Where a container has the worker port's socket. */
export const WORKER_SOCKET = "/run/sv-worker.sock";

/** Processes and threads of one container. */
const PIDS_MAX = 4_096;

const GB = 1024 ** 3;

/** Of memory that processes share, which model servers need more of than the engine's 64 MB. It counts as memory. */
const SHM_BYTES = 1 * GB;

/** Whoever wants to read the lines later has `docker logs`; the emulator gets them as they are written. */
const LOG_CONFIG = { Type: "json-file", Config: { "max-size": "10m", "max-file": "1" } };

/** Where a container finds the worker port: as a socket of this machine, by its path here, or over its network. */
export type WorkerPlace =
  | { readonly socket: string }
  | {
      /** As `SERVICE_ADDRESS_RULE` says. */
      readonly address: string;
      /** By which the worker shows who it is, and knows the service. */
      readonly token: string;
    };

/** What a container is given of this machine. */
export interface ContainerPlaces {
  readonly worker: WorkerPlace;
  /** Names that it knows beside those of its network, like `name:address`. */
  readonly extraHosts?: readonly string[];
  /** Directory of the endpoint's network volume here. */
  readonly volume: string | undefined;
  /** Further variables; those of the template win. */
  readonly env: Readonly<Record<string, string>>;
  /** How the service is reached by the live protocol; absent where containers cannot reach it. */
  readonly live?: LiveService | undefined;
  /** `uid:gid` of a container with the least privileges. */
  readonly user: string;
}

export interface ContainerFrame {
  readonly labels: Readonly<Record<string, string>>;
  readonly settings: ContainerSettings;
  readonly places: ContainerPlaces;
  /** Whether the engine can limit the size of a container's disk. */
  readonly limitsDisk: boolean;
  /** Name of the network that it is on. */
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
    // Held open by the emulator: a worker whose standard input ends has lost it, and ends too.
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

/** As the engine names the ports of the HTTP server that a worker of a load balancing endpoint is. */
function serverPorts({ template }: Pick<WorkerOrder, "template">): [string, string] {
  const { port, healthPort } = serverSettings(template);
  return [`${port}/tcp`, `${healthPort}/tcp`];
}

/** Where this machine reaches that server. @param published ports of this machine, by the container's. @throws Error when it has ended already */
export function serverAddress(
  order: WorkerOrder,
  published: ReadonlyMap<string, number>,
): ServerAddress {
  const [port = 0, healthPort = 0] = serverPorts(order).map((name) => published.get(name));
  if (port === 0)
    throw new Error("the container's server ended at once, or its port is not published");
  return { port, healthPort, healthPath: serverSettings(order.template).healthPath };
}

/** What bounds every container, whoever it is for. */
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

/** Each on a free port of this machine, and for nobody else. */
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

/** @param sizeInGb 0 for any size */
export function wholeDisk(sizeInGb: number, limitsDisk: boolean): HostConfig {
  return limitsDisk && sizeInGb > 0 ? { StorageOpt: { size: `${sizeInGb}G` } } : {};
}

/** Images that know GPUs set it to `all`. */
export function visibleGpus(order: Pick<WorkerOrder, "gpus">) {
  return { NVIDIA_VISIBLE_DEVICES: realGpuIds(order).join(",") || "void" };
}

/** As the engine takes them. */
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
