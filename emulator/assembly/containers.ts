/** Makes the Docker launcher: the directories and variables of containers, and how they reach the service. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import { OF_POD } from "../core/observe/log/streamed-line.ts";
import type { Clock } from "../core/time/clock.ts";
import { LOCAL_IMAGE_PREFIX, type Template } from "../core/resources/template.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { RegistryCredentials } from "../core/resources/registry-auth.ts";
import { GatewayListener, type GatewayListenerOptions } from "../launch/docker/gateway-listener.ts";
import type { ContainerPlaces } from "../launch/docker/containers/container-options.ts";
import { createDockerLauncher, type DockerLauncher } from "../launch/docker/docker-launcher.ts";
import { createDockerodeEngine } from "../launch/docker/dockerode-engine.ts";
import type { Launcher, WorkerOrder } from "../launch/launcher.ts";
import type { LiveService } from "../launch/live-environment.ts";
import type { PodLauncher } from "../launch/pod-launcher.ts";
import type { ObjectService } from "../objects/object-service.ts";
import type { EmulatorOptions } from "../options.ts";
import type { Volumes } from "../volumes/volumes.ts";
import { storageEnvironment } from "./worker-storage.ts";

export interface ContainersOptions {
  readonly docker: EmulatorOptions["docker"];
  /** The data directory, if there is one: it identifies the containers of this emulator after restarts. */
  readonly directory: string;
  /** Path of the worker port's socket. */
  readonly workerSocket: string;
  readonly objects: ObjectService | undefined;
  readonly volumes: Volumes;
  /** Serves live workers at a further address of this machine; resolves with its URL. */
  readonly serveLiveAt: (address: string) => Promise<string>;
  /** What live workers are told in addition. */
  readonly liveTerms: Omit<LiveService, "url">;
  readonly clock: Clock;
  readonly log: EngineLog;
  /** Undefined for a template without credentials. Rejects with a sentence if they cannot be read. */
  readonly credentialsOf: (
    wish: Pick<Template, "containerRegistryAuthId">,
  ) => Promise<RegistryCredentials | undefined>;
  readonly line: (order: WorkerOrder, line: string) => void;
  /** Called when workers and pods can be started that could not be before. */
  readonly willing: () => void;
}

/** The user of containers when the emulator runs as root: one without special rights. */
const PLAIN_USER = 1_000;

export interface Containers extends Launcher, PodLauncher {
  /**
   * Removes containers of killed emulators, if any of the templates has an image: they may hold GPUs, or jobs that are in the
   * queue again. Never rejects.
   */
  clearLeftovers(templates: readonly Template[]): Promise<void>;
  /** Call it when the service begins to stop: from then on a Docker engine that does not answer is not waited for. */
  beginStop(): void;
}

const SWITCHED_OFF: Containers = {
  refuses: () => "containers are switched off (--docker off)",
  refusesPod: () => "containers are switched off (--docker off)",
  launch: launchNothing,
  launchPod: launchNothing,
  dropVolumes: async () => undefined,
  clearLeftovers: async () => undefined,
  beginStop: () => undefined,
  close: async () => undefined,
};

function launchNothing(): never {
  throw new Error("a launcher that refuses everything launched nothing");
}

export function createContainers(options: ContainersOptions): Containers {
  if (options.docker === "off") return SWITCHED_OFF;
  const launcher = dockerLauncher(options);
  return Object.assign(launcher, {
    async clearLeftovers(templates: readonly Template[]) {
      const isImage = ({ imageName }: Template) => !imageName.startsWith(LOCAL_IMAGE_PREFIX);
      if (templates.some(isImage)) await launcher.reach();
    },
  });
}

function dockerLauncher(options: ContainersOptions): DockerLauncher {
  const { directory, clock, log, credentialsOf, line, willing, volumes } = options;
  const engine = createDockerodeEngine();
  const reach = reachOf(options);
  return createDockerLauncher({
    engine,
    clock,
    emulator: digestOf(directory),
    log,
    credentialsOf,
    line,
    willing,
    networkVolumeOf: async (pod) => volumes.directoryOfPod(pod),
    podLine: ({ pod }, text) => log.info({ podId: pod.id, source: OF_POD }, text),
    placesOf: (order, gateway) => placesOf(options, reach, order, gateway),
  });
}

/** What containers can reach over their network. */
interface Reach {
  readonly store: GatewayListener | undefined;
  readonly live: GatewayListener;
}

function reachOf({ objects, serveLiveAt, log }: ContainersOptions): Reach {
  const at = (what: string, open: GatewayListenerOptions["open"]) =>
    new GatewayListener({ what, open, log });
  return {
    store: objects && at("the object store", (address) => objects.listenAlsoAt(address)),
    live: at("the service by the live protocol", serveLiveAt),
  };
}

async function placesOf(
  { workerSocket, volumes, objects, liveTerms }: ContainersOptions,
  { store, live }: Reach,
  order: WorkerOrder,
  gateway: string | undefined,
): Promise<ContainerPlaces> {
  // The user of the container has to write to it; the directory around it keeps all others out.
  await fs.promises.chmod(workerSocket, 0o666);
  const volume = volumes.directoryFor(order.endpoint);
  const user = containerUser();
  if (volume !== undefined) await giveTo(volume, user);
  const [storeUrl, liveUrl] = await Promise.all([store?.url(gateway), live.url(gateway)]);
  const { endpoint, template } = order;
  const bucket = storeUrl === undefined ? undefined : objects?.bucketFor(endpoint, storeUrl);
  return {
    workerSocket,
    volume,
    env: storageEnvironment(template.env, bucket),
    live: liveUrl === undefined ? undefined : { ...liveTerms, url: liveUrl },
    user: `${user.uid}:${user.gid}`,
  };
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** The user of the emulator, so that it owns what containers write to volumes; but never root. */
function containerUser(): User {
  const uid = process.getuid?.() ?? 0;
  if (uid === 0) return { uid: PLAIN_USER, gid: PLAIN_USER };
  return { uid, gid: process.getgid?.() ?? uid };
}

/** Gives the directory to the user of containers; only root can and has to. */
async function giveTo(directory: string, { uid, gid }: User): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const stats = await fs.promises.stat(directory);
  if (stats.uid === 0) await fs.promises.chown(directory, uid, gid);
}

/** No two directories of one machine have the same. */
export function digestOf(directory: string): string {
  const known = `${fs.realpathSync(directory)} ${fs.statSync(directory).ino}`;
  return createHash("sha256").update(known).digest("hex").slice(0, 16);
}
