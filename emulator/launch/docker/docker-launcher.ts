/** Launcher that runs each worker, and each pod, as a container of its image. */
import type { Clock } from "../../core/time/clock.ts";
import type { GpuDevice } from "../../core/workers/gpu-allocation.ts";
import type { RegistryCredentials } from "../../core/resources/registry-auths/registry-auth.ts";
import type { Pod } from "../../core/pods/pod.ts";
import type { Template } from "../../core/resources/templates/template.ts";
import { isServer } from "../container-environment.ts";
import type { LaunchedWorker, LaunchLog, ServerAddress, WorkerOrder } from "../launcher.ts";
import type { LaunchedPod, PodLauncher, PodOrder } from "../pod-launcher.ts";
import type { ContainerEngine, EngineContainer } from "./container-engine.ts";
import { labelsOf, podLabels, podVolumeLabels } from "./containers/container-labels.ts";
import { ContainerMaker, unlessHere } from "./containers/container-maker.ts";
import { ContainerNetwork } from "./containers/container-network.ts";
import {
  containerOptions,
  type ContainerPlaces,
  serverAddress,
} from "./containers/container-options.ts";
import { type ContainerSettings, readContainerSettings } from "../container-settings.ts";
import { ContainerRun, type ContainerRunOptions } from "./containers/container-run.ts";
import { startProblem } from "./docker-errors.ts";
import { EngineContact } from "./engine-contact.ts";
import { EngineLocation, type HostRoute } from "./engine-location.ts";
import { ImagePuller, type ImageReference } from "./image-puller.ts";
import { podOptions, podPorts } from "./containers/pod-options.ts";
import { dropPodVolumes } from "./containers/pod-volumes.ts";
import { boundsOf } from "../runs/limits-met.ts";
import { type Run, workerOf } from "../runs/run.ts";
import { withFacts } from "../runs/start-causes.ts";
import { type EngineLauncher, imageRefusal, Runs, type StartedProgram } from "../runs/runs.ts";

export interface DockerLauncherOptions {
  readonly engine: ContainerEngine;
  /** Digest of the data directory, by which this emulator finds its containers after a restart. */
  readonly emulator: string;
  /** Path of the worker port's socket on this machine. */
  readonly workerSocket: string;
  /**
   * The resources of this machine for a worker's container, which reaches the machine by `route`. Rejects with a sentence if
   * the container cannot run.
   */
  readonly placesOf: (order: WorkerOrder, route: HostRoute) => Promise<ContainerPlaces>;
  /** Credentials for the image's registry. Undefined for a template that names none. Rejects with a sentence. */
  readonly credentialsOf: (template: ImageReference) => Promise<RegistryCredentials | undefined>;
  /** Directory of a pod's network volume on this machine. Undefined without one. */
  readonly networkVolumeOf: (pod: Pod) => Promise<string | undefined>;
  /** Called with each line that a worker writes. */
  readonly line: (order: WorkerOrder, line: string) => void;
  /** Called with each line that a pod writes. */
  readonly podLine: (order: PodOrder, line: string) => void;
  /** Called when workers can be started again. */
  readonly willing: () => void;
  readonly log: LaunchLog;
  readonly clock: Clock;
}

export type DockerLauncher = EngineLauncher & PodLauncher;

interface ContainerProgram extends Omit<StartedProgram, "bounds"> {
  readonly image: Pick<Template, "env" | "imageName">;
  readonly gpus: readonly GpuDevice[];
  readonly asImage?: boolean;
}

interface Prepared {
  readonly settings: ContainerSettings;
  readonly network: string;
  readonly route: HostRoute;
}

export function createDockerLauncher(options: DockerLauncherOptions): DockerLauncher {
  return new Docker(options);
}

class Docker implements DockerLauncher {
  readonly runsImages = true;
  readonly needsKnownGpus = true;
  readonly #options: DockerLauncherOptions;
  readonly #contact: EngineContact;
  readonly #images: ImagePuller;
  readonly #network: ContainerNetwork;
  readonly #location: EngineLocation;
  readonly #maker: ContainerMaker;
  readonly #runs: Runs<object>;

  constructor(options: DockerLauncherOptions) {
    const { engine, clock, emulator, log, credentialsOf, willing, workerSocket } = options;
    const remove = (id: string) => this.#remove(id);
    this.#options = options;
    this.#network = new ContainerNetwork({ engine, emulator, log });
    this.#location = new EngineLocation({ engine, emulator, workerSocket, remove, log });
    this.#maker = new ContainerMaker({ engine, remove, log });
    this.#contact = new EngineContact({
      engine,
      clock,
      emulator,
      log,
      isRun: (id) => this.#runs.has(id),
      usesNetwork: () => this.#network.isUsed,
      back: () => {
        for (const part of [this.#network, this.#location, this.#maker, this.#images])
          part.forget();
        willing();
      },
    });
    this.#images = new ImagePuller({ engine, log, credentialsOf });
    this.#runs = new Runs({
      ...{ clock, log, what: "containers", engine: "the Docker engine" },
      failed: (error) => this.#failed(error),
      answers: () => this.#contact.isThere(),
    });
  }

  refuses(template: Template): string | undefined {
    return this.#refusal(template, readContainerSettings(template));
  }

  refusesPod(pod: Pod): string | undefined {
    return this.#refusal(pod, readContainerSettings(pod));
  }

  launch(order: WorkerOrder): LaunchedWorker {
    const { line } = this.#options;
    const server = isServer(order) ? Promise.withResolvers<ServerAddress>() : undefined;
    const run = this.#run(
      order.workerId,
      {
        make: (signal) => this.#makeWorker(order, signal),
        placeOf: async (container) =>
          server?.resolve(serverAddress(order, await container.ports())),
      },
      {
        ...{ image: order.template, gpus: order.gpus, line: (text) => line(order, text) },
        about: { workerId: order.workerId, endpointId: order.endpoint.id },
      },
    );
    this.#tellOfSimulated(order.gpus, { endpointId: order.endpoint.id });
    return workerOf(run, {
      kind: "container",
      place: () => ({ container: run.thing?.id }),
      freeze: (isFrozen) => this.#freeze(run.thing, isFrozen),
      ...(server && { server: server.promise }),
    });
  }

  launchPod(order: PodOrder): LaunchedPod {
    const { pod, runId, gpus } = order;
    this.#tellOfSimulated(gpus, { podId: pod.id });
    return this.#run(
      runId,
      {
        make: (signal) => this.#makePod(order, signal),
        placeOf: async (container) => podPorts(pod, await container.ports()),
      },
      {
        ...{ image: pod, gpus, asImage: true, line: (text) => this.#options.podLine(order, text) },
        about: { podId: pod.id },
      },
    );
  }

  async dropVolumes(isNeedless: (podId: string) => boolean): Promise<void> {
    const { engine, emulator, log } = this.#options;
    try {
      await this.#contact.reach();
      await dropPodVolumes(engine, emulator, isNeedless);
    } catch (error) {
      this.#contact.failed(error);
      // The log already says that the engine does not answer.
      if (this.#contact.problem === undefined)
        log.warn({ err: error }, "volumes of deleted pods could not be removed yet");
    }
  }

  async reach(): Promise<void> {
    await this.#contact.reach().catch(() => undefined);
  }

  beginStop(): void {
    this.#runs.beginStop();
  }

  async close(): Promise<void> {
    await this.#runs.close();
    // A network that cannot be removed is a leftover, which the next start removes.
    if (!this.#runs.hasLeftBehind)
      await this.#runs.whileStopping(this.#network.remove().catch(() => undefined));
    this.#contact.close();
  }

  #refusal(
    { imageName }: ImageReference,
    settings: ContainerSettings | string,
  ): string | undefined {
    const refusal = imageRefusal(imageName, "containers");
    if (refusal !== undefined) return refusal;
    return typeof settings === "string" ? settings : this.#contact.problem;
  }

  #run<Place>(
    id: string,
    role: Pick<ContainerRunOptions<Place>, "make" | "placeOf">,
    { image, gpus, asImage, ...program }: ContainerProgram,
  ): Run<EngineContainer, Place> {
    const bounds = boundsOf(readContainerSettings(image), { isPod: false, gpus, asImage });
    const steps = new ContainerRun({
      ...role,
      explain: (problem) =>
        withFacts(problem, { mismatch: this.#images.mismatchOf(image.imageName), gpus }),
      clock: this.#options.clock,
      failed: (error) => this.#contact.failed(error),
      remove: (container) => this.#remove(container),
    });
    return this.#runs.start(id, steps, { ...program, bounds });
  }

  async #freeze(container: EngineContainer | undefined, isFrozen: boolean): Promise<void> {
    if (container === undefined) throw new Error("its container does not run yet");
    try {
      await container.pause(isFrozen);
    } catch (error) {
      throw new Error(this.#failed(error), { cause: error });
    }
  }

  #failed(error: unknown): string {
    this.#contact.failed(error);
    return startProblem(error);
  }

  async #makeWorker(order: WorkerOrder, signal: AbortSignal): Promise<EngineContainer> {
    const { template, endpoint } = order;
    const { emulator, placesOf } = this.#options;
    const { settings, network, route } = await this.#prepare(template, signal);
    const places = await placesOf(order, route);
    signal.throwIfAborted();
    const frame = { labels: labelsOf(order, emulator), settings, places, network };
    const told = `${template.imageName} runs with the privileges that the image asks for`;
    if (settings.asImage) this.#options.log.info({ endpointId: endpoint.id }, told);
    return this.#maker.make({
      hasDisk: settings.asImage,
      optionsFor: (limitsDisk) => containerOptions(order, { ...frame, limitsDisk }),
      toBeSeen: unlessHere(route, places.volume, template),
    });
  }

  async #makePod(order: PodOrder, signal: AbortSignal): Promise<EngineContainer> {
    const { emulator, networkVolumeOf } = this.#options;
    const { pod } = order;
    const { settings, network, route } = await this.#prepare(pod, signal);
    const frame = {
      network,
      labels: podLabels(order, emulator),
      volumeLabels: podVolumeLabels(pod.id, emulator),
      settings,
      networkVolume: await networkVolumeOf(pod),
    };
    signal.throwIfAborted();
    return this.#maker.make({
      hasDisk: true,
      optionsFor: (limitsDisk) => podOptions(order, { ...frame, limitsDisk }),
      toBeSeen: unlessHere(route, frame.networkVolume, pod),
    });
  }

  /** Makes the engine, the image and the network available, and finds out how containers reach this machine. */
  async #prepare(
    template: ImageReference & Pick<Template, "env">,
    signal: AbortSignal,
  ): Promise<Prepared> {
    const settings = readContainerSettings(template);
    if (typeof settings === "string") throw new Error(settings);
    await this.#contact.reach();
    await this.#images.provide(template, settings.platform, signal);
    const { name: network, gateway } = await this.#network.provide();
    const route = await this.#location.route(template.imageName, gateway);
    return { settings, network, route };
  }

  async #remove(id: string): Promise<void> {
    try {
      await this.#options.engine.remove("container", id);
    } catch (error) {
      // The container is found by its labels when the engine answers again, or at the next start.
      this.#contact.failed(error);
      this.#options.log.warn({ container: id, err: error }, "a container could not be removed yet");
    }
  }

  #tellOfSimulated(gpus: readonly GpuDevice[], whose: Readonly<Record<string, string>>): void {
    const simulated = gpus.filter(({ isSimulated }) => isSimulated);
    const [first] = simulated;
    if (first === undefined) return;
    const message = `${simulated.length} × ${first.typeId} are simulated: the container starts without GPUs`;
    this.#options.log.warn(whose, message);
  }
}
