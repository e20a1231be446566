/** Makes the commits of a database survive a power failure, on every system. */

/**
 * To be run on each connection that writes lasting data. On macOS an `fsync` passes writes to the drive, which may keep them in a
 * cache: only F_FULLFSYNC, which the last two pragmas ask for, writes them. Other systems ignore the difference.
 */
export const DURABLE_COMMITS =
  "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;";
