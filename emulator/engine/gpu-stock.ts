/** The GPUs of this machine: which worker has each, and which another emulator has. */
import type { GpuDevice } from "../core/gpu-allocation.ts";
import type { DeviceLock, LockDevice } from "../core/device-lock.ts";

interface Holding {
  readonly workerId: string;
  readonly lock: DeviceLock | undefined;
}

export class GpuStock {
  readonly #lock: LockDevice;
  /** By device id. */
  readonly #holdings = new Map<string, Holding>();
  readonly #elsewhere = new Set<string>();

  constructor(lock: LockDevice) {
    this.#lock = lock;
  }

  /** Devices that workers here have. */
  get takenCount(): number {
    return this.#holdings.size;
  }

  /** No worker here has it. */
  isIdle(deviceId: string): boolean {
    return !this.#holdings.has(deviceId);
  }

  /** As far as is known, nobody else has it either. */
  isFree(deviceId: string): boolean {
    return this.isIdle(deviceId) && !this.#elsewhere.has(deviceId);
  }

  /** They are the worker's until `release`. False, and none of them is, where another emulator has one: it is not free then. */
  take(devices: readonly GpuDevice[], workerId: string): boolean {
    const holdings = new Map<string, Holding>();
    for (const { id, isSimulated } of devices) {
      const lock = isSimulated ? undefined : this.#lock(id);
      if (!isSimulated && lock === undefined) {
        for (const held of holdings.values()) held.lock?.release();
        this.#elsewhere.add(id);
        return false;
      }
      holdings.set(id, { workerId, lock });
    }
    for (const [id, holding] of holdings) this.#holdings.set(id, holding);
    return true;
  }

  release(workerId: string): void {
    for (const [deviceId, holding] of this.#holdings) {
      if (holding.workerId !== workerId) continue;
      holding.lock?.release();
      this.#holdings.delete(deviceId);
    }
  }

  /** Those that another emulator had count as free again until they are tried. */
  forgetElsewhere(): void {
    this.#elsewhere.clear();
  }
}
