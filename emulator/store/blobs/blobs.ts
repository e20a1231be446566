/**
 * Port: large payloads outside of a store that several processes share. The rows of the store have their names. A stored blob
 * never changes. The store knows what the bytes belong to, and compares their checksums.
 */

export interface Blobs {
  /**
   * Stores the parts, one after another, as one blob, which is durable when this resolves. A name is put again only with the same
   * bytes, by a caller that does not know the outcome of the first time. The parts must not change meanwhile.
   *
   * @throws StoreUnusableError when the service cannot be reached or refuses it; StoreFullError when it has no room.
   *   A part of the blob may be stored then; the sweep removes it.
   */
  put(name: string, parts: readonly Uint8Array[]): Promise<void>;
  /**
   * Opens a range of a blob; undefined if there is no such blob. An opened range must be read to its end or disposed of.
   *
   * @throws StoreUnusableError when the service cannot be reached or refuses it
   */
  read(name: string, offset: number, sizeBytes: number): Promise<OpenedBlob | undefined>;
  /** Removes a blob; does nothing if there is none. @throws StoreUnusableError as `read` */
  remove(name: string): Promise<void>;
  /**
   * All blobs that existed when it began, in no order, for the sweep of blobs that a crash left. A blob without a row may belong to
   * a process that is about to store the row: only old blobs are swept.
   *
   * @throws StoreUnusableError as `read`
   */
  names(): AsyncIterable<FoundBlob>;
  /** Ends the work under way and releases everything. Idempotent. */
  close(): Promise<void>;
}

export interface OpenedBlob extends AsyncDisposable {
  /**
   * The bytes of the range, or fewer if the blob ends before its end. To be called once.
   *
   * @throws StoreUnusableError when the read fails
   */
  slices(): AsyncIterable<Uint8Array>;
}

export interface FoundBlob {
  readonly name: string;
  /** Unix time in ms, by the clock of the bucket. */
  readonly writtenAt: number;
}
