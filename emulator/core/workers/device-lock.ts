/** Port: locks a GPU against other emulators of this machine. A lock ends with its process. */

export interface DeviceLock {
  /** Idempotent. */
  release(): void;
}

/** Undefined if another emulator has the device; `deviceId` is a UUID. */
export type LockDevice = (deviceId: string) => DeviceLock | undefined;
