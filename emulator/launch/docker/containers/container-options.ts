/** Builds the options of a worker's container: program, variables, mounts, limits, privileges, GPUs. Pure. */
import type { ContainerCreateOptions, HostConfig, MountConfig } from "dockerode";
import type { ServerAddress, WorkerOrder } from "../../launcher.ts";
import { containerEnvironment, isServer, volumePaths } from "../../container-environment.ts";
import type { LiveService } from "../../live-environment.ts";
import { serverSettings } from "../../server-settings.ts";
import type { ContainerSettings } from "../../container-settings.ts";
import { type BaseFrame, baseOptions, bind, wholeDisk } from "./base-options.ts";

/** Path of the worker port's socket in a container. */
const WORKER_SOCKET = "/run/sv-worker.sock";

/** How a container reaches the worker port: by a socket of this machine, or over its network. */
export type WorkerPlace =
  | { readonly socket: string }
  | {
      /** In the form of `SERVICE_ADDRESS_RULE`. */
      readonly address: string;
      /** The token by which the worker identifies itself and recognizes the service. */
      readonly token: string;
    };

/** The resources of this machine that a container gets. */
export interface ContainerPlaces {
  readonly worker: WorkerPlace;
  /** Host names for the container, like `name:address`. */
  readonly extraHosts?: readonly string[];
  /** Directory of the endpoint's network volume on this machine. */
  readonly volume: string | undefined;
  /** More variables. The template's variables override them. */
  readonly env: Readonly<Record<string, string>>;
  /** How the worker reaches the service by the live protocol. Absent if it cannot. */
  readonly live?: LiveService | undefined;
  /** `uid:gid` of a container that has the least privileges. */
  readonly user: string;
}

export function containerOptions(
  order: WorkerOrder,
  { places, ...frame }: BaseFrame & { readonly places: ContainerPlaces },
): ContainerCreateOptions {
  const { template, endpoint, workerId, gpus } = order;
  const { settings, limitsDisk } = frame;
  const base = baseOptions(
    {
      name: `sv-${endpoint.id}-${workerId}`,
      image: template,
      env: containerEnvironment(told(order, places), settings, {
        ...places,
        hasVolume: places.volume !== undefined,
        serviceAddress: addressOf(places),
      }),
      ports: isServer(order) ? serverPorts(order) : [],
      mounts: mounts(order, places),
      gpus,
    },
    frame,
  );
  return {
    ...base,
    // The end of standard input ends the worker: the emulator is gone then.
    StdinOnce: true,
    ...(!settings.asImage && { User: places.user }),
    HostConfig: {
      ...base.HostConfig,
      ...(places.extraHosts && { ExtraHosts: [...places.extraHosts] }),
      ...(settings.asImage
        ? wholeDisk(template.containerDiskInGb, limitsDisk)
        : leastPrivileges(order, settings, places)),
    },
  };
}

function serverPorts({ template }: Pick<WorkerOrder, "template">): [string, string] {
  const { port, healthPort } = serverSettings(template);
  return [`${port}/tcp`, `${healthPort}/tcp`];
}

/**
 * Address of the server. @param published ports of this machine, by the container's own ports. @throws Error if the server has
 * ended
 */
export function serverAddress(
  order: WorkerOrder,
  published: ReadonlyMap<string, number>,
): ServerAddress {
  const [port = 0, healthPort = 0] = serverPorts(order).map((name) => published.get(name));
  if (port === 0)
    throw new Error("the container's server ended at once, or its port is not published");
  return { port, healthPort, healthPath: serverSettings(order.template).healthPath };
}

function leastPrivileges(
  order: WorkerOrder,
  { tmpBytes, tmpExec }: ContainerSettings,
  places: ContainerPlaces,
): HostConfig {
  const isTaken = mounts(order, places).some(({ Target: target }) => target === "/tmp");
  const exec = tmpExec ? "exec" : "noexec";
  const options = `rw,${exec},nosuid,nodev,mode=1777,size=${tmpBytes}`;
  return {
    ReadonlyRootfs: true,
    ...(!isTaken && { Tmpfs: { "/tmp": options } }),
    CapDrop: ["ALL"],
    SecurityOpt: ["no-new-privileges"],
  };
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
