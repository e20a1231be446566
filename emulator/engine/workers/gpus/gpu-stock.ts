/** The GPUs of this machine: which worker has each, which ones other emulators have, and on which ones a start failed. */
import type { Clock } from "../../../core/time/clock.ts";
import type { GpuDevice } from "../../../core/workers/gpu-allocation.ts";
import type { DeviceLock, LockDevice } from "../../../core/workers/device-lock.ts";

/** Time after a failed start in which a device is chosen last. */
const SUSPECT_MS = 600_000;

interface Holding {
  readonly workerId: string;
  readonly lock: DeviceLock | undefined;
}

export class GpuStock {
  readonly #lock: LockDevice;
  readonly #clock: Clock;
  /** By device id. */
  readonly #holdings = new Map<string, Holding>();
  readonly #ofOthers = new Set<string>();
  /** Time of the last failed start on a device. */
  readonly #failedAt = new Map<string, number>();

  /** @param clock real time */
  constructor(lock: LockDevice, clock: Clock) {
    this.#lock = lock;
    this.#clock = clock;
  }

  /** Number of devices of this emulator's workers. */
  get takenCount(): number {
    return this.#holdings.size;
  }

  /** Whether no worker of this emulator has it. */
  isIdle(deviceId: string): boolean {
    return !this.#holdings.has(deviceId);
  }

  /** Whether no other emulator has it either, as far as known. */
  isFree(deviceId: string): boolean {
    return this.isIdle(deviceId) && !this.#ofOthers.has(deviceId);
  }

  /** Assigns all of them to the worker until `release`; or none, returning false, if another emulator has one of them. */
  take(devices: readonly GpuDevice[], workerId: string): boolean {
    const holdings = new Map<string, Holding>();
    for (const { id, isSimulated } of devices) {
      const lock = isSimulated ? undefined : this.#lock(id);
      if (!isSimulated && lock === undefined) {
        for (const held of holdings.values()) held.lock?.release();
        this.#ofOthers.add(id);
        return false;
      }
      holdings.set(id, { workerId, lock });
    }
    for (const [id, holding] of holdings) this.#holdings.set(id, holding);
    return true;
  }

  /** @param hasFailed true: the worker could not start, perhaps because of its devices */
  release(workerId: string, hasFailed: boolean): void {
    const now = this.#clock.now();
    for (const [deviceId, holding] of this.#holdings) {
      if (holding.workerId !== workerId) continue;
      if (hasFailed) this.#failedAt.set(deviceId, now);
      holding.lock?.release();
      this.#holdings.delete(deviceId);
    }
  }

  /** In their order; those with a recent failed start come last, the oldest failure first. */
  byReliability(devices: readonly GpuDevice[]): readonly GpuDevice[] {
    if (this.#failedAt.size === 0) return devices;
    const since = this.#clock.now() - SUSPECT_MS;
    const suspectSince = ({ id }: GpuDevice) => {
      const failedAt = this.#failedAt.get(id) ?? since;
      return failedAt > since ? failedAt : since;
    };
    return devices.toSorted((a, b) => suspectSince(a) - suspectSince(b));
  }

  /** Devices of other emulators count as free until they are tried again. */
  forgetOthers(): void {
    this.#ofOthers.clear();
  }
}
