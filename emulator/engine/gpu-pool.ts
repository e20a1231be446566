/** Gives workers and pods their GPUs and takes them back; whoever finds none free waits in line and is told when it is its turn. */
import { chooseGpus, gpuLack, type GpuDevice, type GpuInventory } from "../core/gpu-allocation.ts";
import type { Endpoint } from "../core/endpoint.ts";
import type { EngineLog } from "./context.ts";

/** Who wants GPUs: an endpoint for one of its workers, or a pod for itself. */
export type GpuWisher = Pick<Endpoint, "id" | "computeType" | "gpuTypeIds" | "gpuCount">;

/** Devices for one worker, or what it lacks: a sentence; undefined where that will be settled by itself at once. */
export type GpuGrant =
  | { readonly devices: readonly GpuDevice[] }
  | { readonly lack: string | undefined };

const NOTHING_NEEDED: GpuGrant = { devices: [] };

export interface GpuPoolOptions {
  /** Asked once, when the first worker wants a GPU. Must not reject. */
  readonly find: () => Promise<GpuInventory>;
  /** Called with the id of an endpoint or pod in line that can be served now. */
  readonly wake: (id: string) => void;
  readonly log: EngineLog;
}

export class GpuPool {
  readonly #options: GpuPoolOptions;
  #inventory: GpuInventory | undefined;
  #isAsking = false;
  /** Worker by device id. */
  readonly #holders = new Map<string, string>();
  /** Endpoints that could not be served, in the order in which that began. */
  readonly #line = new Map<string, GpuWisher>();

  constructor(options: GpuPoolOptions) {
    this.#options = options;
  }

  /**
   * The devices are the worker's until `release`. An endpoint that is refused is in line from then on.
   *
   * @param mustBeKnown whether it cannot do without where this machine's GPUs are not known
   */
  take(endpoint: GpuWisher, workerId: string, mustBeKnown = false): GpuGrant {
    if (endpoint.computeType !== "GPU") return NOTHING_NEEDED;
    if (this.#inventory === undefined) this.#ask();
    const inventory = this.#inventory;
    if (inventory === undefined) return this.#refuse(endpoint, undefined);
    if (!inventory.isKnown && mustBeKnown)
      return this.#refuse(endpoint, unknownLack(inventory.reason));
    if (!inventory.isKnown) return this.#serve(endpoint, workerId, []);
    const devices = this.#choose(inventory.devices, endpoint);
    if (devices === undefined) return this.#refuse(endpoint, gpuLack(inventory.devices, endpoint));
    const first = this.#firstServable(inventory.devices) ?? endpoint.id;
    if (first === endpoint.id) return this.#serve(endpoint, workerId, devices);
    this.#options.wake(first);
    return this.#refuse(endpoint, undefined);
  }

  /** The worker is gone, and so is all it could have used its devices with. */
  release(workerId: string): void {
    for (const [deviceId, holder] of this.#holders)
      if (holder === workerId) this.#holders.delete(deviceId);
    this.#wakeNext();
  }

  /** The endpoint wants no further worker. */
  leave(endpointId: string): void {
    if (this.#line.delete(endpointId)) this.#wakeNext();
  }

  /** If it wants more, it waits behind those that have none. */
  #serve(endpoint: GpuWisher, workerId: string, devices: readonly GpuDevice[]): GpuGrant {
    for (const { id } of devices) this.#holders.set(id, workerId);
    this.#line.delete(endpoint.id);
    this.#wakeNext();
    return { devices };
  }

  #refuse(endpoint: GpuWisher, lack: string | undefined): GpuGrant {
    this.#line.set(endpoint.id, endpoint);
    return { lack };
  }

  /** The first in line that can be served has its turn; it is then served, or leaves the line. */
  #wakeNext(): void {
    if (this.#line.size === 0 || !this.#inventory?.isKnown) return;
    const next = this.#firstServable(this.#inventory.devices);
    if (next !== undefined) this.#options.wake(next);
  }

  #ask(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    void this.#options.find().then((inventory) => {
      this.#inventory = inventory;
      this.#tell(inventory);
      for (const endpointId of this.#line.keys()) this.#options.wake(endpointId);
    });
  }

  #tell(inventory: GpuInventory): void {
    if (inventory.isKnown) return;
    const message = `no GPU is known (${inventory.reason}): workers of GPU endpoints run without one, unless they are containers; --gpus declares some, or none`;
    this.#options.log.warn({}, message);
  }

  #choose(devices: readonly GpuDevice[], endpoint: GpuWisher) {
    return chooseGpus(devices, ({ id }) => !this.#holders.has(id), endpoint);
  }

  #firstServable(devices: readonly GpuDevice[]): string | undefined {
    if (this.#holders.size >= devices.length) return undefined;
    for (const [id, endpoint] of this.#line) if (this.#choose(devices, endpoint)) return id;
    return undefined;
  }
}

function unknownLack(reason: string): string {
  return `a container sees only the GPUs it is given, and none is known here (${reason}): install the driver, simulate some with --gpus "NVIDIA L4=1", or choose computeType CPU`;
}
