/** Launcher that runs each worker, and each pod, as a container of its image. */
import type { Clock } from "../../core/time/clock.ts";
import type { GpuDevice } from "../../core/workers/gpu-allocation.ts";
import { imageNameProblem } from "../../core/resources/image-name.ts";
import type { RegistryCredentials } from "../../core/resources/registry-auth.ts";
import type { Pod } from "../../core/pods/pod.ts";
import { LOCAL_IMAGE_PREFIX, type Template } from "../../core/resources/template.ts";
import type { LaunchedWorker, Launcher, WorkerOrder } from "../launcher.ts";
import type { LaunchedPod, PodLauncher, PodOrder } from "../pod-launcher.ts";
import type { ContainerEngine, EngineContainer } from "./container-engine.ts";
import { LABEL, labelsOf, podLabels, podVolumeLabels } from "./containers/container-labels.ts";
import { ContainerMaker, unlessHere } from "./containers/container-maker.ts";
import { ContainerNetwork } from "./containers/container-network.ts";
import { containerOptions, type ContainerPlaces } from "./containers/container-options.ts";
import { type ContainerSettings, readContainerSettings } from "../container-settings.ts";
import { ContainerRun, type ContainerHost } from "./containers/container-run.ts";
import { EngineContact } from "./engine-contact.ts";
import { EngineLocation, type HostRoute } from "./engine-location.ts";
import { ImagePuller, type ImageReference } from "./images/image-puller.ts";
import type { LaunchLog } from "../launch-log.ts";
import { podOptions, podPorts } from "./containers/pod-options.ts";
import { serverPlace } from "./containers/server-place.ts";
import { pause, within } from "../../core/time/pause.ts";

export interface DockerLauncherOptions {
  readonly engine: ContainerEngine;
  /** Tells this emulator's containers from those of others, over restarts: a digest of its data directory. */
  readonly emulator: string;
  /** Path of the worker port's socket. */
  readonly workerSocket: string;
  /** What a worker's container is given of this machine, which it reaches by `route`. Rejects with a sentence where it cannot run. */
  readonly placesOf: (order: WorkerOrder, route: HostRoute) => Promise<ContainerPlaces>;
  /** What its registry wants to know; undefined for a template that names no credentials. Rejects with a sentence. */
  readonly credentialsOf: (template: ImageReference) => Promise<RegistryCredentials | undefined>;
  /** Directory of a pod's network volume here; undefined for one without. */
  readonly networkVolumeOf: (pod: Pod) => Promise<string | undefined>;
  /** Called with each line a worker writes. */
  readonly line: (order: WorkerOrder, line: string) => void;
  /** Called with each line a pod writes. */
  readonly podLine: (order: PodOrder, line: string) => void;
  /** Called when workers can be started that could not before. */
  readonly willing: () => void;
  readonly log: LaunchLog;
  readonly clock: Clock;
}

export interface DockerLauncher extends Launcher, PodLauncher {
  /** Looks for the engine and removes what killed emulators left in it; the first worker would do the same. Never rejects. */
  reach(): Promise<void>;
  /** To be called when the service begins to stop: from then on containers whose engine does not answer are left to the next start. */
  beginStop(): void;
}

/** How long an engine that does not answer is waited for while the service stops, and how often it is asked. */
const STOP_PATIENCE_MS = 10_000;
const STOP_ASK_MS = 1_000;

interface Prepared {
  readonly settings: ContainerSettings;
  /** Its name. */
  readonly network: string;
  readonly route: HostRoute;
}

export function createDockerLauncher(options: DockerLauncherOptions): DockerLauncher {
  return new Docker(options);
}

class Docker implements DockerLauncher {
  readonly needsKnownGpus = true;
  readonly #options: DockerLauncherOptions;
  readonly #contact: EngineContact;
  readonly #images: ImagePuller;
  readonly #network: ContainerNetwork;
  readonly #location: EngineLocation;
  readonly #maker: ContainerMaker;
  readonly #running = new Map<string, Pick<ContainerRun<unknown>, "kill" | "abandon" | "exited">>();
  readonly #host: ContainerHost;
  #isStopping = false;
  #isClosed = false;
  #hasLeftBehind = false;

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
      isRun: (workerId) => this.#running.has(workerId),
      usesNetwork: () => this.#network.isUsed,
      back: () => {
        for (const part of [this.#network, this.#location, this.#maker]) part.forget();
        willing();
      },
    });
    this.#images = new ImagePuller({ engine, log, credentialsOf });
    this.#host = {
      clock,
      remove,
      failed: (error) => this.#contact.failed(error),
    };
  }

  refuses(template: Template): string | undefined {
    return this.#refusal(template, readContainerSettings(template));
  }

  refusesPod(pod: Pod): string | undefined {
    return this.#refusal(pod, readContainerSettings(pod));
  }

  launch(order: WorkerOrder): LaunchedWorker {
    const { line } = this.#options;
    const place = serverPlace(order);
    const role = {
      make: (signal: AbortSignal) => this.#makeWorker(order, signal),
      placeOf: place.find,
      line: (text: string) => line(order, text),
    };
    const run = this.#started(order.workerId, new ContainerRun(role, this.#host));
    this.#tellOfSimulated(order.gpus, { endpointId: order.endpoint.id });
    // It may be an image of the live service.
    const speaksLate = true;
    return Object.assign(run, {
      kind: "container" as const,
      place: () => ({ container: run.containerId }),
      speaksLate,
      ...(place.server && { server: place.server }),
    });
  }

  launchPod(order: PodOrder): LaunchedPod {
    const { pod, runId, gpus } = order;
    const role = {
      make: (signal: AbortSignal) => this.#makePod(order, signal),
      placeOf: async (container: EngineContainer) => podPorts(pod, await container.ports()),
      line: (text: string) => this.#options.podLine(order, text),
    };
    this.#tellOfSimulated(gpus, { podId: pod.id });
    return this.#started(runId, new ContainerRun(role, this.#host));
  }

  async dropVolumes(isNeedless: (podId: string) => boolean): Promise<void> {
    const { engine, emulator, log } = this.#options;
    try {
      await this.#contact.reach();
      const volumes = await engine.listVolumes(LABEL.volumeOf);
      const needless = volumes.filter(
        ({ labels }) =>
          labels[LABEL.emulator] === emulator && isNeedless(labels[LABEL.volumeOf] ?? ""),
      );
      for (const { name } of needless) await engine.removeVolume(name);
    } catch (error) {
      this.#contact.failed(error);
      // An engine that does not answer is told of already.
      if (this.#contact.problem === undefined)
        log.warn({ err: error }, "volumes of pods that are no more could not be removed yet");
    }
  }

  async reach(): Promise<void> {
    await this.#contact.reach().catch(() => undefined);
  }

  beginStop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    void this.#leaveBehind();
  }

  async close(): Promise<void> {
    this.beginStop();
    for (const run of this.#running.values()) run.kill();
    await Promise.all([...this.#running.values()].map(({ exited }) => exited));
    this.#isClosed = true;
    if (!this.#hasLeftBehind) await this.#removeNetwork();
    this.#contact.close();
  }

  async #leaveBehind(): Promise<void> {
    const { clock, log } = this.#options;
    while (this.#running.size === 0 || (await this.#contact.answers(STOP_PATIENCE_MS))) {
      await pause(clock, STOP_ASK_MS);
      if (this.#isClosed) return;
    }
    const left = [...this.#running.values()];
    const reason = `it did not answer for ${STOP_PATIENCE_MS / 1_000} s while the service stopped`;
    log.warn({ count: left.length }, `containers are left to the next start: ${reason}`);
    this.#hasLeftBehind = true;
    for (const run of left) run.abandon(reason);
  }

  /** Where it cannot be removed it is one of the leftovers that the next start finds. */
  async #removeNetwork(): Promise<void> {
    const removal = this.#network.remove().catch(() => undefined);
    await within(this.#options.clock, STOP_PATIENCE_MS, removal);
  }

  #refusal(
    { imageName }: ImageReference,
    settings: ContainerSettings | string,
  ): string | undefined {
    if (imageName.startsWith(LOCAL_IMAGE_PREFIX))
      return `images below ${LOCAL_IMAGE_PREFIX} are handler files, not containers`;
    // Records that are older than the check of names may have any.
    const problem = imageNameProblem(imageName);
    if (problem !== undefined) return `no image can have this name: ${problem}`;
    return typeof settings === "string" ? settings : this.#contact.problem;
  }

  #started<Place>(id: string, run: ContainerRun<Place>): ContainerRun<Place> {
    this.#running.set(id, run);
    void run.exited.then(() => this.#running.delete(id));
    return run;
  }

  async #makeWorker(order: WorkerOrder, signal: AbortSignal): Promise<EngineContainer> {
    const { template, endpoint } = order;
    const { emulator, placesOf } = this.#options;
    const { settings, network, route } = await this.#prepare(template, signal);
    const places = await placesOf(order, route);
    signal.throwIfAborted();
    const labels = labelsOf(order, emulator);
    const frame = { labels, settings, places, network };
    if (settings.asImage) this.#tellOfPrivileges(endpoint.id, template);
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

  /** Sees to it that the engine, the image and the network are there, and finds the way from there to this machine. */
  async #prepare(
    template: ImageReference & Pick<Template, "env">,
    signal: AbortSignal,
  ): Promise<Prepared> {
    const settings = readContainerSettings(template);
    if (typeof settings === "string") throw new Error(settings);
    await this.#contact.reach();
    await this.#images.provide(template, signal);
    const { name: network, gateway } = await this.#network.provide();
    const isHere = await this.#location.isHere(template.imageName, gateway);
    const route: HostRoute = isHere ? { engine: "here", gateway } : { engine: "elsewhere" };
    return { settings, network, route };
  }

  async #remove(id: string): Promise<void> {
    try {
      await this.#options.engine.remove(id);
    } catch (error) {
      // It is found by its labels as soon as the engine answers again, or by the next start.
      this.#contact.failed(error);
      this.#options.log.warn({ container: id, err: error }, "a container could not be removed yet");
    }
  }

  #tellOfSimulated(gpus: readonly GpuDevice[], whose: Readonly<Record<string, string>>): void {
    const simulated = gpus.filter(({ isSimulated }) => isSimulated);
    const [first] = simulated;
    if (first === undefined) return;
    const message = `${simulated.length} × ${first.typeId} are simulated: the container starts without`;
    this.#options.log.warn(whose, message);
  }

  #tellOfPrivileges(endpointId: string, { imageName }: Template): void {
    const message = `${imageName} runs with the privileges that the image asks for`;
    this.#options.log.info({ endpointId }, message);
  }
}
