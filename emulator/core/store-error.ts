/** Errors of everything that stores data: full, closed, unusable, damaged, lost, in use. */

/** No room for the data; nothing was stored. */
export class StoreFullError extends Error {
  override readonly name = "StoreFullError";
}

export class StoreClosedError extends Error {
  override readonly name = "StoreClosedError";

  constructor(message = "the store has been closed") {
    super(message);
  }
}

/** The data cannot be used: not writable, written by another version, or damaged. The message names the cause. */
export class StoreUnusableError extends Error {
  override readonly name: string = "StoreUnusableError";
}

/**
 * Damage beyond the bytes of one payload: the store's answers are unreliable until it is repaired. After this error the store
 * does nothing more.
 */
export class StoreDamagedError extends StoreUnusableError {
  override readonly name = "StoreDamagedError";
}

/** The data directory was removed or replaced: nothing written to it would be found again. */
export class StoreLostError extends Error {
  override readonly name = "StoreLostError";
}

/** Another emulator uses the data directory. */
export class StoreInUseError extends Error {
  override readonly name = "StoreInUseError";
}
