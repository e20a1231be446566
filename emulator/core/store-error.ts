/** The errors of everything that stores data: full, closed, unusable, damaged, lost, in use. */

/** There is no room for what was to be stored; nothing of it was kept. */
export class StoreFullError extends Error {
  override readonly name = "StoreFullError";
}

/** The store was closed before it was asked. */
export class StoreClosedError extends Error {
  override readonly name = "StoreClosedError";

  constructor(message = "the store has been closed") {
    super(message);
  }
}

/** The data cannot be used: not writable, written by another version, or damaged. The message says which. */
export class StoreUnusableError extends Error {
  override readonly name: string = "StoreUnusableError";
}

/**
 * What is kept is damaged, and not only the bytes of one payload: nothing that the store says can be relied on until it
 * was repaired. Once it was seen the store does nothing more.
 */
export class StoreDamagedError extends StoreUnusableError {
  override readonly name = "StoreDamagedError";
}

/** The data directory was removed, or another put in its place: what would be written could not be found again. */
export class StoreLostError extends Error {
  override readonly name = "StoreLostError";
}

/** Another emulator uses the data directory. */
export class StoreInUseError extends Error {
  override readonly name = "StoreInUseError";
}
