/** Port: locks a GPU against other emulators on this machine. The lock ends with the process. */

export interface DeviceLock {
  /** Idempotent. */
  release(): void;
}

/** Undefined if another emulator has the device; `deviceId` is a UUID. */
export type LockDevice = (deviceId: string) => DeviceLock | undefined;
