/** Makes the Docker launcher. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import { OF_POD } from "../../core/observe/log/streamed-line.ts";
import type { Clock } from "../../core/time/clock.ts";
import { LOCAL_IMAGE_PREFIX, type Template } from "../../core/resources/templates/template.ts";
import type { RegistryCredentials } from "../../core/resources/registry-auths/registry-auth.ts";
import { createDockerLauncher, type DockerLauncher } from "../../launch/docker/docker-launcher.ts";
import { createDockerodeEngine } from "../../launch/docker/dockerode-engine.ts";
import type { Launcher, WorkerOrder } from "../../launch/launcher.ts";
import type { PodLauncher } from "../../launch/pod-launcher.ts";
import type { EmulatorOptions } from "../../options.ts";
import { type ContainerPlacesOptions, ContainersPlaces } from "./container-places.ts";

export interface ContainersOptions extends Omit<ContainerPlacesOptions, "dockerHost"> {
  readonly docker: EmulatorOptions["docker"];
  /** The data directory, if there is one. It identifies the containers of this emulator after restarts. */
  readonly directory: string;
  readonly clock: Clock;
  /** Undefined for a template without credentials. Rejects with a sentence if they cannot be read. */
  readonly credentialsOf: (
    wish: Pick<Template, "containerRegistryAuthId">,
  ) => Promise<RegistryCredentials | undefined>;
  readonly line: (order: WorkerOrder, line: string) => void;
  /** Called when workers and pods can be started after a time when they could not. */
  readonly willing: () => void;
}

export interface Containers extends Launcher, PodLauncher {
  /**
   * Removes containers of killed emulators if any template has an image. Such containers may hold GPUs, and jobs that are queued
   * again. Never rejects.
   */
  clearLeftovers(templates: readonly Template[]): Promise<void>;
  /** Call it when the service begins to stop. From then on nothing waits for a Docker engine that does not answer. */
  beginStop(): void;
}

const SWITCHED_OFF: Containers = {
  runsImages: true,
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
  const { directory, clock, log, credentialsOf, line, willing, volumes, workerSocket } = options;
  const dockerHost = process.env["DOCKER_HOST"];
  const engine = createDockerodeEngine(dockerHost);
  const places = new ContainersPlaces({ ...options, dockerHost });
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
    workerSocket,
    placesOf: (order, route) => places.of(order, route),
  });
}

/** Unique for each directory of a machine. */
export function digestOf(directory: string): string {
  const known = `${fs.realpathSync(directory)} ${fs.statSync(directory).ino}`;
  return createHash("sha256").update(known).digest("hex").slice(0, 16);
}
