/** Mounts, user and addresses for containers, depending on where their engine runs. */
import fs from "node:fs";
import { authorityOf } from "../../../runtime/protocol/environment/service-address.ts";
import { workerToken } from "../../../runtime/protocol/environment/worker-token.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { EngineLog } from "../../engine/observe/engine-log.ts";
import type {
  ContainerPlaces,
  WorkerPlace,
} from "../../launch/docker/containers/container-options.ts";
import type { HostRoute } from "../../launch/docker/engine-location.ts";
import { HostListener, type HostPlace } from "../../launch/docker/host-listener.ts";
import type { WorkerOrder } from "../../launch/launcher.ts";
import type { LiveService } from "../../launch/live-environment.ts";
import type { ObjectService } from "../../objects/object-service.ts";
import type { EmulatorOptions } from "../../options.ts";
import type { Volumes } from "../../volumes/volumes.ts";
import { isLoopbackHost } from "../../core/access/loopback-host.ts";
import type { Elsewhere } from "./elsewhere.ts";
import { S3_PATH } from "../object-storage.ts";
import { serviceUrl, type ServiceUrlParts } from "../service-url.ts";
import type { LoopbackPort } from "./worker-ports.ts";
import { storageEnvironment } from "./worker-storage.ts";

export interface ContainerPlacesOptions extends Pick<ServiceUrlParts, "http"> {
  readonly emulator: ServiceUrlParts["emulator"] & Pick<EmulatorOptions, "workerAddress">;
  /** The value of `DOCKER_HOST`, if it is set. */
  readonly dockerHost: string | undefined;
  /** Path of the worker port's socket. */
  readonly workerSocket: string;
  /** Opens the port for workers in a virtual machine that forwards to 127.0.0.1. It is opened once. */
  readonly serveLoopback: () => Promise<LoopbackPort>;
  /** The port for workers from elsewhere. Undefined without one. */
  readonly elsewhere: Elsewhere | undefined;
  readonly objects: ObjectService | undefined;
  readonly volumes: Pick<Volumes, "directoryFor" | "directoryOfPod">;
  /** Serves live workers at a further address of this machine. Resolves with its URL. */
  readonly serveLiveAt: (address: string) => Promise<string>;
  /** Additional variables for live workers. */
  readonly liveTerms: Omit<LiveService, "url">;
  /** The port of the service. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: EngineLog;
}

/** User of containers if the emulator runs as root: one without special rights. */
const PLAIN_USER = 1_000;

/** Host name that engines in virtual machines forward to 127.0.0.1 of their host. */
const NAMED_HOST: HostPlace = { address: "127.0.0.1", name: "host.docker.internal" };
const NAMED_HOSTS = [`${NAMED_HOST.name}:host-gateway`];

const ON_ANOTHER_MACHINE = "the Docker engine that DOCKER_HOST names is on another machine";

/** The addresses of the service for one worker. A URL is undefined if the worker cannot reach it; the log says so. */
interface Reached extends Pick<ContainerPlaces, "worker" | "extraHosts"> {
  readonly storeUrl: string | undefined;
  readonly liveUrl: string | undefined;
}

export class ContainersPlaces {
  readonly #options: ContainerPlacesOptions;
  readonly #store: HostListener | undefined;
  readonly #live: HostListener;
  #hasWarned = false;

  constructor(options: ContainerPlacesOptions) {
    const { objects, serveLiveAt, port, clock, log } = options;
    this.#options = options;
    this.#store =
      objects &&
      new HostListener({
        ...{ what: "the object store", port: () => objects.port, clock, log },
        open: (address) => objects.listenAlsoAt(address),
      });
    this.#live = new HostListener({
      ...{ what: "the service by the live protocol", port: () => port, clock, log },
      open: serveLiveAt,
    });
  }

  /** @throws Error with a sentence if the worker cannot run on the engine */
  async of(order: WorkerOrder, route: HostRoute): Promise<ContainerPlaces> {
    const { volumes, objects, liveTerms } = this.#options;
    const { endpoint, template } = order;
    const { worker, storeUrl, liveUrl, extraHosts } = await this.#reached(order, route);
    const volume = volumes.directoryFor(endpoint);
    const user = containerUser();
    if (volume !== undefined) await giveTo(volume, user);
    const bucket = storeUrl === undefined ? undefined : objects?.bucketFor(endpoint, storeUrl);
    return {
      worker,
      ...(extraHosts && { extraHosts }),
      volume,
      env: storageEnvironment(template.env, bucket),
      live: liveUrl === undefined ? undefined : { ...liveTerms, url: liveUrl },
      user: `${user.uid}:${user.gid}`,
    };
  }

  async #reached(order: WorkerOrder, route: HostRoute): Promise<Reached> {
    const { emulator, elsewhere, dockerHost } = this.#options;
    if (route.engine === "here") return this.#here(route.gateway);
    const isFar = namesAnotherMachine(dockerHost);
    if (isFar && order.endpoint.type === "LOAD_BALANCING")
      throw new Error(
        `${ON_ANOTHER_MACHINE}, and ports of its containers are open to that machine alone: load balancing endpoints need an engine of this machine`,
      );
    if (emulator.workerAddress !== undefined && elsewhere !== undefined)
      return this.#byAddress(order, elsewhere);
    if (isFar)
      throw new Error(
        `${ON_ANOTHER_MACHINE}, and its containers cannot reach this one: set --worker-port and --worker-address`,
      );
    return this.#byName(order);
  }

  async #here(gateway: string | undefined): Promise<Reached> {
    const { workerSocket: socket } = this.#options;
    // The container's user must be able to write to it. The directory around it excludes all other users.
    await fs.promises.chmod(socket, 0o666);
    const place = gateway === undefined ? undefined : { address: gateway, name: gateway };
    return { worker: { socket }, ...(await this.#urlsAt(place)) };
  }

  async #byName(order: WorkerOrder): Promise<Reached> {
    const urls = await this.#urlsAt(NAMED_HOST);
    return { ...byName(order, await this.#options.serveLoopback()), ...urls };
  }

  /** The places of a worker on another machine. */
  #byAddress(order: WorkerOrder, elsewhere: Elsewhere): Reached {
    const { workerAddress = "" } = this.#options.emulator;
    const url = serviceUrl(this.#options, elsewhere);
    if (url === undefined) this.#warnOfUrl();
    return {
      worker: workerAt(order, workerAddress, elsewhere.listener.fingerprint),
      extraHosts: NAMED_HOSTS,
      storeUrl: url && url + S3_PATH,
      liveUrl: url,
    };
  }

  async #urlsAt(place: HostPlace | undefined) {
    const [storeUrl, liveUrl] = await Promise.all([this.#store?.url(place), this.#live.url(place)]);
    return { storeUrl, liveUrl };
  }

  #warnOfUrl(): void {
    if (!this.#hasWarned)
      this.#options.log.warn(
        {},
        "containers reach only the worker port, neither the object store nor the service by the live protocol: --host is an address of this machine alone",
      );
    this.#hasWarned = true;
  }
}

/** @param dockerHost the value of `DOCKER_HOST` */
export function namesAnotherMachine(dockerHost = ""): boolean {
  const [, scheme = "", host = ""] =
    /^(\w+):\/\/(?:[^@/]*@)?(\[[^\]]+\]|[^:/]*)/u.exec(dockerHost) ?? [];
  return /^(?:ssh|tcp|https?)$/u.test(scheme) && !isLoopbackHost(host.replace(/^\[|\]$/gu, ""));
}

/** Address and token for a worker in a virtual machine of this machine. */
export function byName(
  order: Pick<WorkerOrder, "workerToken">,
  { port, fingerprint }: LoopbackPort,
): Pick<ContainerPlaces, "worker" | "extraHosts"> {
  const { name } = NAMED_HOST;
  return {
    worker: workerAt(order, authorityOf({ host: name, port }), fingerprint),
    extraHosts: NAMED_HOSTS,
  };
}

function workerAt(
  order: Pick<WorkerOrder, "workerToken">,
  authority: string,
  fingerprint: Uint8Array | undefined,
): WorkerPlace {
  return { address: `tls://${authority}`, token: workerToken(order.workerToken, fingerprint) };
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** The user of the emulator, which then owns the files that containers write to volumes. Never root. */
function containerUser(): User {
  const uid = process.getuid?.() ?? 0;
  if (uid === 0) return { uid: PLAIN_USER, gid: PLAIN_USER };
  return { uid, gid: process.getgid?.() ?? uid };
}

/** Makes the user of containers own the directory. Only root can do that, and only root needs to. */
async function giveTo(directory: string, { uid, gid }: User): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const stats = await fs.promises.stat(directory);
  if (stats.uid === 0) await fs.promises.chown(directory, uid, gid);
}
