/** Makes the commits of a database survive a power failure, on every system. */

/**
 * Run it on each connection that writes lasting data. On macOS, `fsync` passes writes to the drive, which may keep them in a
 * cache. The last two pragmas request F_FULLFSYNC, which writes them to the disk. Other systems ignore these pragmas.
 */
export const DURABLE_COMMITS =
  "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;";
