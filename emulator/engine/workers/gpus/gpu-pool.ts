/** Assigns GPUs to workers and pods and takes them back; without free ones they wait in a queue. */
import type { Clock, Disarm } from "../../../core/time/clock.ts";
import {
  chooseGpus,
  gpuLack,
  type GpuDevice,
  type GpuInventory,
  inventoryInWords,
  simulateGpus,
  usefulGpus,
} from "../../../core/workers/gpu-allocation.ts";
import type { LockDevice } from "../../../core/workers/device-lock.ts";
import type { EngineLog } from "../../observe/engine-log.ts";
import { GpuQueue, type GpuRequester } from "./gpu-queue.ts";
import { GpuStock } from "./gpu-stock.ts";

/** Devices for one worker, or a sentence about what is missing. Undefined if that will be known in a moment. */
export type GpuGrant =
  | { readonly devices: readonly GpuDevice[] }
  | { readonly lack: string | undefined };

const NOTHING_NEEDED: GpuGrant = { devices: [] };

/** Interval after which a silent driver is asked again: it may answer then, or be installed. */
const FIND_AGAIN_MS = 60_000;

/** Interval after which devices of other emulators are tried again: their release is not announced. */
const TRY_AGAIN_MS = 1_000;

export interface GpuPoolOptions {
  /**
   * Called when the first worker needs a GPU; while none is known, called again from time to time for workers that need a known
   * one. Must not reject.
   */
  readonly find: () => Promise<GpuInventory>;
  readonly lock: LockDevice;
  /** Called with the id of a waiting endpoint or pod that can be served now. */
  readonly wake: (id: string) => void;
  /** Real time. */
  readonly clock: Clock;
  readonly log: EngineLog;
}

export class GpuPool {
  readonly #options: GpuPoolOptions;
  #inventory: GpuInventory | undefined;
  #isFinding = false;
  #foundAt = Number.NEGATIVE_INFINITY;
  readonly #stock: GpuStock;
  readonly #queue: GpuQueue;
  /** Timer for another search for GPUs, or another try of devices of other emulators. */
  #disarm: Disarm | undefined;

  constructor(options: GpuPoolOptions) {
    this.#options = options;
    const { clock, log, lock } = options;
    this.#stock = new GpuStock(lock, clock);
    this.#queue = new GpuQueue({
      clock,
      onReserved: ({ id }) => {
        const message = `${id} was overtaken too often: GPUs that become free are reserved for it`;
        log.info({ waiting: id }, message);
      },
      onExpired: ({ id }) => {
        const message = `GPUs were reserved for ${id} for 10 minutes, and some are still missing: others may have them again`;
        log.warn({ waiting: id }, message);
        this.#wakeNext();
      },
    });
  }

  /**
   * The devices belong to the worker until `release`. A refused endpoint waits in the queue from then on.
   * @param mustBeKnown refuses while the GPUs of this machine are unknown
   */
  take(endpoint: GpuRequester, workerId: string, mustBeKnown = false): GpuGrant {
    if (endpoint.computeType !== "GPU") return NOTHING_NEEDED;
    const inventory = this.#inventory;
    switch (inventory?.kind) {
      case undefined:
        this.#find();
        return this.#refuse(endpoint, undefined);
      case "unknown":
        if (mustBeKnown) return this.#findAgain(endpoint, inventory.reason);
        return this.#serve(endpoint, []);
      case "simulated": {
        const devices = simulateGpus((id) => this.#stock.isFree(id), endpoint);
        this.#stock.take(devices, workerId);
        return this.#serve(endpoint, devices);
      }
      case "known":
        return this.#takeKnown(inventory.devices, endpoint, workerId);
    }
  }

  #takeKnown(known: readonly GpuDevice[], endpoint: GpuRequester, workerId: string): GpuGrant {
    for (let hasFailed = false; ; hasFailed = true) {
      const devices = this.#choose(known, endpoint);
      if (devices === undefined) {
        const refusal = this.#refuse(endpoint, this.#lack(known, endpoint));
        // Later ones in the queue may be able to use other devices.
        if (hasFailed) this.#wakeNext();
        return refusal;
      }
      const first = this.#firstServable(known) ?? endpoint.id;
      if (first !== endpoint.id) {
        this.#options.wake(first);
        return this.#refuse(endpoint, undefined);
      }
      if (this.#stock.take(devices, workerId)) {
        this.#queue.granted(endpoint.id, devices, known);
        return this.#serve(endpoint, devices);
      }
      this.#tryAgainLater();
    }
  }

  #lack(known: readonly GpuDevice[], endpoint: GpuRequester): string {
    const isIdle = ({ id }: GpuDevice) => this.#stock.isIdle(id);
    if (chooseGpus(known, isIdle, endpoint) === undefined) return gpuLack(known, endpoint);
    const [free] = chooseGpus(known, ({ id }) => this.#stock.isFree(id), endpoint) ?? [];
    const holder =
      free &&
      this.#queue.reservedBefore(endpoint.id).find((one) => usefulGpus(known, one).has(free));
    const obstacle = holder
      ? `the free ones are reserved for ${holder.id}, which has waited longer and needs more`
      : "another emulator of this machine uses the ones that no worker here has";
    return gpuLack(known, endpoint, obstacle);
  }

  #tryAgainLater(): void {
    const { clock } = this.#options;
    this.#disarm ??= clock.wakeAt(clock.now() + TRY_AGAIN_MS, () => {
      this.#disarm = undefined;
      this.#stock.forgetOthers();
      this.#wakeNext();
    });
  }

  #findAgain(endpoint: GpuRequester, reason: string): GpuGrant {
    const again = () => {
      this.#disarm = undefined;
      if (!this.#queue.isEmpty) this.#find();
    };
    this.#disarm ??= this.#options.clock.wakeAt(this.#foundAt + FIND_AGAIN_MS, again);
    return this.#refuse(endpoint, unknownLack(reason));
  }

  /**
   * The worker has exited, with everything that could use its devices.
   * @param hasFailed true: it could not start, perhaps because of its devices, which are chosen last for a while
   */
  release(workerId: string, hasFailed = false): void {
    this.#stock.release(workerId, hasFailed);
    this.#wakeNext();
  }

  /** The endpoint needs no further worker. */
  leave(endpointId: string): void {
    if (this.#queue.remove(endpointId)) this.#wakeNext();
  }

  /** No callback is called from now on. */
  close(): void {
    this.#disarm?.();
    this.#queue.close();
  }

  /** If it needs more, it waits behind the others. */
  #serve(endpoint: GpuRequester, devices: readonly GpuDevice[]): GpuGrant {
    this.#queue.remove(endpoint.id);
    this.#wakeNext();
    return { devices };
  }

  #refuse(endpoint: GpuRequester, lack: string | undefined) {
    this.#queue.add(endpoint);
    return { lack };
  }

  /** Wakes the first in the queue that can be served. */
  #wakeNext(): void {
    if (this.#queue.isEmpty || this.#inventory?.kind !== "known") return;
    const next = this.#firstServable(this.#inventory.devices);
    if (next !== undefined) this.#options.wake(next);
  }

  #find(): void {
    if (this.#isFinding) return;
    this.#isFinding = true;
    this.#foundAt = this.#options.clock.now();
    void this.#options.find().then((inventory) => {
      this.#isFinding = false;
      this.#logInventory(inventory);
      this.#inventory = inventory;
      for (const { id } of this.#queue.requesters()) this.#options.wake(id);
    });
  }

  #logInventory(inventory: GpuInventory): void {
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

  #choose(devices: readonly GpuDevice[], endpoint: GpuRequester) {
    const reserved = this.#queue.reservedBefore(endpoint.id).map((one) => usefulGpus(devices, one));
    const mayHave = (device: GpuDevice) =>
      this.#stock.isFree(device.id) && !reserved.some((useful) => useful.has(device));
    return chooseGpus(this.#stock.byReliability(devices), mayHave, endpoint);
  }

  #firstServable(devices: readonly GpuDevice[]): string | undefined {
    if (this.#stock.takenCount >= devices.length) return undefined;
    for (const requester of this.#queue.requesters())
      if (this.#choose(devices, requester)) return requester.id;
    return undefined;
  }
}

function unknownLack(reason: string): string {
  return `a container sees only its own GPUs, and none is known here (${reason}); to run it without one, use --gpus simulate or computeType CPU`;
}
