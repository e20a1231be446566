/** Makes the commits of a database outlive a power failure, on every system. */

/**
 * To be run on each connection that writes what has to last. macOS hands writes on to the drive at an `fsync`, which keeps them in a
 * cache of its own: only F_FULLFSYNC, which the last two ask for, has it write them. Other systems do not know the difference.
 */
export const DURABLE_COMMITS =
  "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;";
