/** Launcher that runs each worker as a container of its template's image. */
import type { GpuDevice } from "../../core/gpu-allocation.ts";
import type { RegistryCredentials } from "../../core/registry-auth.ts";
import { LOCAL_IMAGE_PREFIX, type Template } from "../../core/template.ts";
import type { Launcher, WorkerExit, WorkerOrder } from "../launcher.ts";
import { type ContainerEngine, type EngineContainer, EngineError } from "./container-engine.ts";
import { labelsOf } from "./container-labels.ts";
import { containerOptions, type ContainerPlaces } from "./container-options.ts";
import { readContainerSettings } from "./container-settings.ts";
import { ContainerWorker, type ContainerYard } from "./container-worker.ts";
import { EngineContact } from "./engine-contact.ts";
import { ImageShelf } from "./image-shelf.ts";
import type { LaunchLog } from "./launch-log.ts";

export interface DockerLauncherOptions {
  readonly engine: ContainerEngine;
  /** Tells this emulator's containers from those of others, over restarts: a digest of its data directory. */
  readonly emulator: string;
  /** What a worker's container is given of this machine. */
  readonly placesOf: (order: WorkerOrder) => Promise<ContainerPlaces>;
  /** What its registry wants to know; undefined for a template that names no credentials. Rejects with a sentence. */
  readonly credentialsOf: (template: Template) => Promise<RegistryCredentials | undefined>;
  /** Called with each line a worker writes. */
  readonly line: (order: WorkerOrder, line: string) => void;
  /** Called when workers can be started that could not before. */
  readonly willing: () => void;
  readonly log: LaunchLog;
  /** How long workers wait for an engine that went away, ms; default 10,000. */
  readonly engineBackMs?: number;
}

export interface DockerLauncher extends Launcher {
  /** Looks for the engine and removes what killed emulators left in it; the first worker would do the same. Never rejects. */
  reach(): Promise<void>;
}

/** The engine's answer where it cannot limit the size of a container's disk. */
const NO_DISK_LIMIT = /storage-opt|--storage-opt|project quota|pquota/iu;

export function createDockerLauncher(options: DockerLauncherOptions): DockerLauncher {
  return new Docker(options);
}

class Docker implements DockerLauncher {
  readonly needsKnownGpus = true;
  readonly #options: DockerLauncherOptions;
  readonly #contact: EngineContact;
  readonly #images: ImageShelf;
  readonly #running = new Map<
    string,
    { readonly kill: () => void; readonly gone: Promise<WorkerExit> }
  >();
  readonly #yard: ContainerYard;
  #limitsDisk = true;

  constructor(options: DockerLauncherOptions) {
    const { engine, emulator, log, credentialsOf, willing, line, engineBackMs } = options;
    this.#options = options;
    this.#contact = new EngineContact({
      engine,
      emulator,
      log,
      isRun: (workerId) => this.#running.has(workerId),
      back: willing,
    });
    this.#images = new ImageShelf({ engine, log, credentialsOf });
    this.#yard = {
      make: (order, signal) => this.#make(order, signal),
      remove: (id) => this.#remove(id),
      failed: (error) => this.#contact.failed(error),
      line,
      ...(engineBackMs !== undefined && { engineBackMs }),
    };
  }

  refuses(template: Template): string | undefined {
    if (template.imageName.startsWith(LOCAL_IMAGE_PREFIX))
      return `images below ${LOCAL_IMAGE_PREFIX} are handler files, not containers`;
    const settings = readContainerSettings(template);
    return typeof settings === "string" ? settings : this.#contact.problem;
  }

  launch(order: WorkerOrder): ContainerWorker {
    const worker = new ContainerWorker(order, this.#yard);
    const { workerId } = order;
    this.#running.set(workerId, { kill: () => worker.kill(), gone: worker.exited });
    void worker.exited.then(() => this.#running.delete(workerId));
    this.#tellOfSimulated(order);
    return worker;
  }

  async reach(): Promise<void> {
    await this.#contact.reach().catch(() => undefined);
  }

  async close(): Promise<void> {
    for (const { kill } of this.#running.values()) kill();
    await Promise.all([...this.#running.values()].map(({ gone }) => gone));
    this.#contact.close();
  }

  async #make(order: WorkerOrder, signal: AbortSignal): Promise<EngineContainer> {
    const { template, endpoint } = order;
    const { emulator, placesOf } = this.#options;
    const settings = readContainerSettings(template);
    if (typeof settings === "string") throw new Error(settings);
    await this.#contact.reach();
    await this.#images.provide(template, signal);
    const places = await placesOf(order);
    signal.throwIfAborted();
    const frame = { labels: labelsOf(order, emulator), settings, places };
    if (settings.asImage) this.#tellOfPrivileges(endpoint.id, template);
    return this.#create(order, frame);
  }

  /** Whether the size of disks can be limited depends on the engine's storage, and only it knows. */
  async #create(
    order: WorkerOrder,
    frame: Omit<Parameters<typeof containerOptions>[1], "limitsDisk">,
  ): Promise<EngineContainer> {
    const { engine, log } = this.#options;
    const limitsDisk = this.#limitsDisk;
    try {
      return await engine.create(containerOptions(order, { ...frame, limitsDisk }));
    } catch (error) {
      const said = error instanceof EngineError ? error.message : "";
      if (!frame.settings.asImage || !limitsDisk || !NO_DISK_LIMIT.test(said)) throw error;
      this.#limitsDisk = false;
      const reason = "the Docker engine cannot limit the size of container disks here";
      log.warn({}, `${reason}: containerDiskInGb has no effect`);
      return engine.create(containerOptions(order, { ...frame, limitsDisk: false }));
    }
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

  #tellOfSimulated({ gpus, endpoint }: WorkerOrder): void {
    const simulated = gpus.filter(({ isSimulated }: GpuDevice) => isSimulated);
    const [first] = simulated;
    if (first === undefined) return;
    const message = `${simulated.length} × ${first.typeId} are simulated: the container starts without`;
    this.#options.log.warn({ endpointId: endpoint.id }, message);
  }

  #tellOfPrivileges(endpointId: string, { imageName }: Template): void {
    const message = `${imageName} runs with the privileges that the image asks for`;
    this.#options.log.info({ endpointId }, message);
  }
}
