/** Gives workers and pods their GPUs and takes them back; whoever finds none free waits in line and is told when it is its turn. */
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
import { GpuLine, type GpuRequester } from "./gpu-line.ts";
import { GpuStock } from "./gpu-stock.ts";

/** Devices for one worker, or what it lacks: a sentence; undefined where that will be settled by itself at once. */
export type GpuGrant =
  | { readonly devices: readonly GpuDevice[] }
  | { readonly lack: string | undefined };

const NOTHING_NEEDED: GpuGrant = { devices: [] };

/** A driver that did not answer may be awake by then, or be installed. */
const LOOK_AGAIN_MS = 60_000;

/** Nobody tells when another emulator needs a device no more. */
const TRY_AGAIN_MS = 1_000;

export interface GpuPoolOptions {
  /**
   * Asked when the first worker wants a GPU, and again from time to time where one cannot do without a GPU that is known, until
   * they are. Must not reject.
   */
  readonly find: () => Promise<GpuInventory>;
  /** Devices that there are have to be locked before they are given. */
  readonly lock: LockDevice;
  /** Called with the id of an endpoint or pod in line that can be served now. */
  readonly wake: (id: string) => void;
  /** Real time: that is what workers take. */
  readonly clock: Clock;
  readonly log: EngineLog;
}

export class GpuPool {
  readonly #options: GpuPoolOptions;
  #inventory: GpuInventory | undefined;
  #isAsking = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  readonly #stock: GpuStock;
  readonly #line: GpuLine;
  /** Set while it is going to look for GPUs again, or to try those of other emulators. */
  #disarm: Disarm | undefined;

  constructor(options: GpuPoolOptions) {
    this.#options = options;
    const { clock, log, lock } = options;
    this.#stock = new GpuStock(lock, clock);
    this.#line = new GpuLine({
      clock,
      keeps: ({ id }) => {
        const message = `others have passed ${id} too often: GPUs that come free are kept for it`;
        log.info({ waiting: id }, message);
      },
      keptInVain: ({ id }) => {
        const message = `GPUs were kept for ${id} for 10 minutes, and it still lacks some: others may have them again`;
        log.warn({ waiting: id }, message);
        this.#wakeNext();
      },
    });
  }

  /**
   * The devices are the worker's until `release`. An endpoint that is refused is in line from then on.
   *
   * @param mustBeKnown whether it cannot do without where this machine's GPUs are not known
   */
  take(endpoint: GpuRequester, workerId: string, mustBeKnown = false): GpuGrant {
    if (endpoint.computeType !== "GPU") return NOTHING_NEEDED;
    const inventory = this.#inventory;
    switch (inventory?.kind) {
      case undefined:
        this.#ask();
        return this.#refuse(endpoint, undefined);
      case "unknown":
        if (mustBeKnown) return this.#lookAgain(endpoint, inventory.reason);
        return this.#serve(endpoint, []);
      case "simulated": {
        const devices = simulateGpus((id) => this.#stock.isFree(id), endpoint);
        this.#stock.take(devices, workerId);
        return this.#serve(endpoint, devices);
      }
      case "known":
        return this.#takeOne(inventory.devices, endpoint, workerId);
    }
  }

  #takeOne(known: readonly GpuDevice[], endpoint: GpuRequester, workerId: string): GpuGrant {
    for (let isDisappointed = false; ; isDisappointed = true) {
      const devices = this.#choose(known, endpoint);
      if (devices === undefined) {
        const refusal = this.#refuse(endpoint, this.#lack(known, endpoint));
        // It may have held up those behind it, who can do with others.
        if (isDisappointed) this.#wakeNext();
        return refusal;
      }
      const first = this.#firstServable(known) ?? endpoint.id;
      if (first !== endpoint.id) {
        this.#options.wake(first);
        return this.#refuse(endpoint, undefined);
      }
      if (this.#stock.take(devices, workerId)) {
        this.#line.isServed(endpoint.id, devices, known);
        return this.#serve(endpoint, devices);
      }
      this.#tryAgainLater();
    }
  }

  #lack(known: readonly GpuDevice[], endpoint: GpuRequester): string {
    const isIdle = ({ id }: GpuDevice) => this.#stock.isIdle(id);
    if (chooseGpus(known, isIdle, endpoint) === undefined) return gpuLack(known, endpoint);
    const [kept] = chooseGpus(known, ({ id }) => this.#stock.isFree(id), endpoint) ?? [];
    const keeper =
      kept && this.#line.keepers(endpoint.id).find((one) => usefulGpus(known, one).has(kept));
    const obstacle = keeper
      ? `those that are free are kept for ${keeper.id}, which has waited longer and needs more of them`
      : "those that no worker here has are in use by another emulator of this machine";
    return gpuLack(known, endpoint, obstacle);
  }

  #tryAgainLater(): void {
    const { clock } = this.#options;
    this.#disarm ??= clock.wakeAt(clock.now() + TRY_AGAIN_MS, () => {
      this.#disarm = undefined;
      this.#stock.forgetElsewhere();
      this.#wakeNext();
    });
  }

  #lookAgain(endpoint: GpuRequester, reason: string): GpuGrant {
    const again = () => {
      this.#disarm = undefined;
      if (!this.#line.isEmpty) this.#ask();
    };
    this.#disarm ??= this.#options.clock.wakeAt(this.#askedAt + LOOK_AGAIN_MS, again);
    return this.#refuse(endpoint, unknownLack(reason));
  }

  /**
   * The worker is gone, and so is all it could have used its devices with.
   *
   * @param hasFailed it could not start, and its devices may be why: for a while they come after the others of their type
   */
  release(workerId: string, hasFailed = false): void {
    this.#stock.release(workerId, hasFailed);
    this.#wakeNext();
  }

  /** The endpoint wants no further worker. */
  leave(endpointId: string): void {
    if (this.#line.remove(endpointId)) this.#wakeNext();
  }

  /** Nobody is told anything from now on. */
  close(): void {
    this.#disarm?.();
    this.#line.close();
  }

  /** If it wants more, it waits behind those that have none. */
  #serve(endpoint: GpuRequester, devices: readonly GpuDevice[]): GpuGrant {
    this.#line.remove(endpoint.id);
    this.#wakeNext();
    return { devices };
  }

  #refuse(endpoint: GpuRequester, lack: string | undefined) {
    this.#line.add(endpoint);
    return { lack };
  }

  /** The first in line that can be served has its turn; it is then served, or leaves the line. */
  #wakeNext(): void {
    if (this.#line.isEmpty || this.#inventory?.kind !== "known") return;
    const next = this.#firstServable(this.#inventory.devices);
    if (next !== undefined) this.#options.wake(next);
  }

  #ask(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#askedAt = this.#options.clock.now();
    void this.#options.find().then((inventory) => {
      this.#isAsking = false;
      this.#tell(inventory);
      this.#inventory = inventory;
      for (const { id } of this.#line.requesters()) this.#options.wake(id);
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

  #choose(devices: readonly GpuDevice[], endpoint: GpuRequester) {
    const kept = this.#line.keepers(endpoint.id).map((one) => usefulGpus(devices, one));
    const mayHave = (device: GpuDevice) =>
      this.#stock.isFree(device.id) && !kept.some((useful) => useful.has(device));
    return chooseGpus(this.#stock.inOrderOfTrust(devices), mayHave, endpoint);
  }

  #firstServable(devices: readonly GpuDevice[]): string | undefined {
    if (this.#stock.takenCount >= devices.length) return undefined;
    for (const requester of this.#line.requesters())
      if (this.#choose(devices, requester)) return requester.id;
    return undefined;
  }
}

function unknownLack(reason: string): string {
  return `a container sees only the GPUs it is given, and none is known here (${reason}); --gpus simulate has it run without, and so does computeType CPU`;
}
