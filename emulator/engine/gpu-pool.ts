/** Gives workers and pods their GPUs and takes them back; whoever finds none free waits in line and is told when it is its turn. */
import {
  chooseGpus,
  gpuLack,
  type GpuDevice,
  type GpuInventory,
  type GpuWish,
  inventoryInWords,
  simulateGpus,
} from "../core/gpu-allocation.ts";
import type { Endpoint } from "../core/endpoint.ts";
import type { EngineLog } from "./context.ts";

/** Who wants GPUs: an endpoint for one of its workers, or a pod for itself. */
export type GpuWisher = Pick<Endpoint, "id" | "computeType"> & GpuWish;

/**
 * Devices for one worker, or what it lacks: a sentence; undefined where that will be settled by itself at once. `retryMs` says
 * when to ask again, ms from now, where neither another worker's end nor the answer that is waited for will help.
 */
export type GpuGrant =
  | { readonly devices: readonly GpuDevice[] }
  | { readonly lack: string | undefined; readonly retryMs?: number };

const NOTHING_NEEDED: GpuGrant = { devices: [] };

/** A driver that did not answer may be awake by then, or be installed. */
const LOOK_AGAIN_MS = 60_000;

export interface GpuPoolOptions {
  /**
   * Asked when the first worker wants a GPU, and again from time to time where one cannot do without a GPU that is known, until
   * they are. Must not reject.
   */
  readonly find: () => Promise<GpuInventory>;
  /** Called with the id of an endpoint or pod in line that can be served now. */
  readonly wake: (id: string) => void;
  readonly now: () => number;
  readonly log: EngineLog;
}

export class GpuPool {
  readonly #options: GpuPoolOptions;
  #inventory: GpuInventory | undefined;
  #isAsking = false;
  #askedAt = Number.NEGATIVE_INFINITY;
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
    const inventory = this.#inventory;
    switch (inventory?.kind) {
      case undefined:
        this.#ask();
        return this.#refuse(endpoint, undefined);
      case "unknown":
        if (mustBeKnown) return this.#lookAgain(endpoint, inventory.reason);
        return this.#serve(endpoint, workerId, []);
      case "simulated":
        return this.#serve(
          endpoint,
          workerId,
          simulateGpus((id) => this.#isFree(id), endpoint),
        );
      case "known":
        return this.#takeOne(inventory.devices, endpoint, workerId);
    }
  }

  #takeOne(known: readonly GpuDevice[], endpoint: GpuWisher, workerId: string): GpuGrant {
    const devices = this.#choose(known, endpoint);
    if (devices === undefined) return this.#refuse(endpoint, gpuLack(known, endpoint));
    const first = this.#firstServable(known) ?? endpoint.id;
    if (first === endpoint.id) return this.#serve(endpoint, workerId, devices);
    this.#options.wake(first);
    return this.#refuse(endpoint, undefined);
  }

  #lookAgain(endpoint: GpuWisher, reason: string): GpuGrant {
    const { now } = this.#options;
    if (now() >= this.#askedAt + LOOK_AGAIN_MS) this.#ask();
    const retryMs = Math.max(0, this.#askedAt + LOOK_AGAIN_MS - now());
    return { ...this.#refuse(endpoint, unknownLack(reason)), retryMs };
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

  #refuse(endpoint: GpuWisher, lack: string | undefined) {
    this.#line.set(endpoint.id, endpoint);
    return { lack };
  }

  /** The first in line that can be served has its turn; it is then served, or leaves the line. */
  #wakeNext(): void {
    if (this.#line.size === 0 || this.#inventory?.kind !== "known") return;
    const next = this.#firstServable(this.#inventory.devices);
    if (next !== undefined) this.#options.wake(next);
  }

  #ask(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#askedAt = this.#options.now();
    void this.#options.find().then((inventory) => {
      this.#isAsking = false;
      this.#tell(inventory);
      this.#inventory = inventory;
      for (const endpointId of this.#line.keys()) this.#options.wake(endpointId);
    });
  }

  #tell(inventory: GpuInventory): void {
    const { log } = this.#options;
    switch (inventory.kind) {
      case "known": {
        const { devices: gpus } = inventory;
        log.info({ gpus }, `GPUs for workers: ${inventoryInWords(gpus)}`);
        return;
      }
      case "simulated":
        log.info({}, "GPUs for workers: simulated ones, as many as are asked for");
        return;
      case "unknown": {
        const before = this.#inventory;
        if (before?.kind === "unknown" && before.reason === inventory.reason) return;
        const message = `no GPU is known (${inventory.reason}): workers of GPU endpoints run without one, unless they are containers; --gpus declares some, or none`;
        log.warn({}, message);
      }
    }
  }

  #choose(devices: readonly GpuDevice[], endpoint: GpuWisher) {
    return chooseGpus(devices, ({ id }) => this.#isFree(id), endpoint);
  }

  #isFree(deviceId: string): boolean {
    return !this.#holders.has(deviceId);
  }

  #firstServable(devices: readonly GpuDevice[]): string | undefined {
    if (this.#holders.size >= devices.length) return undefined;
    for (const [id, endpoint] of this.#line) if (this.#choose(devices, endpoint)) return id;
    return undefined;
  }
}

function unknownLack(reason: string): string {
  return `a container sees only the GPUs it is given, and none is known here (${reason}); --gpus simulate has it run without, and so does computeType CPU`;
}
