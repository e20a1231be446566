/** The GPUs of this machine: which worker has each, which another emulator has, and on which a worker could not start. */
import type { Clock } from "../../../core/time/clock.ts";
import type { GpuDevice } from "../../../core/workers/gpu-allocation.ts";
import type { DeviceLock, LockDevice } from "../../../core/workers/device-lock.ts";

/** A device that failed a start is no first choice for this long; whatever ailed it may have passed by then. */
const DOUBT_MS = 600_000;

interface Holding {
  readonly workerId: string;
  readonly lock: DeviceLock | undefined;
}

export class GpuStock {
  readonly #lock: LockDevice;
  readonly #clock: Clock;
  /** By device id. */
  readonly #holdings = new Map<string, Holding>();
  readonly #elsewhere = new Set<string>();
  /** When a device last failed a start. */
  readonly #failedAt = new Map<string, number>();

  /** @param clock real time */
  constructor(lock: LockDevice, clock: Clock) {
    this.#lock = lock;
    this.#clock = clock;
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

  /** @param hasFailed its worker could not start, and the devices may be why */
  release(workerId: string, hasFailed: boolean): void {
    const now = this.#clock.now();
    for (const [deviceId, holding] of this.#holdings) {
      if (holding.workerId !== workerId) continue;
      if (hasFailed) this.#failedAt.set(deviceId, now);
      holding.lock?.release();
      this.#holdings.delete(deviceId);
    }
  }

  /** As they are, but for those that lately failed a start: they come last, whose failure is longest ago first. */
  inOrderOfTrust(devices: readonly GpuDevice[]): readonly GpuDevice[] {
    if (this.#failedAt.size === 0) return devices;
    const since = this.#clock.now() - DOUBT_MS;
    const doubt = ({ id }: GpuDevice) => {
      const failedAt = this.#failedAt.get(id) ?? since;
      return failedAt > since ? failedAt : since;
    };
    return devices.toSorted((a, b) => doubt(a) - doubt(b));
  }

  /** Those that another emulator had count as free again until they are tried. */
  forgetElsewhere(): void {
    this.#elsewhere.clear();
  }
}
