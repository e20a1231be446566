/** Port: how a GPU is kept from the other emulators of this machine. A lock ends with its process, however that ends. */

export interface DeviceLock {
  /** Others can have it from now on. Idempotent. */
  release(): void;
}

/** Undefined where another has it; `deviceId` is a UUID. */
export type LockDevice = (deviceId: string) => DeviceLock | undefined;
