/**
 * Port: blobs, which are large payloads outside of a store that several processes share. The rows of the store contain the names
 * of blobs. A stored blob never changes. The store knows what the bytes belong to, and compares their checksums.
 */

export interface Blobs {
  /**
   * Stores the parts, one after another, as one blob. The blob is durable when this resolves. A caller that does not know the
   * outcome may put the same bytes under the same name again. The parts must not change meanwhile.
   *
   * @throws StoreUnusableError when the service cannot be reached or refuses it; StoreFullError when it has no room. After an
   *   error a part of the blob may be stored; the sweep removes it.
   */
  put(name: string, parts: readonly Uint8Array[]): Promise<void>;
  /**
   * Opens a range of a blob. Returns undefined if the blob does not exist. An opened range must be read to its end or disposed
   * of.
   *
   * @throws StoreUnusableError when the service cannot be reached or refuses it
   */
  read(name: string, offset: number, sizeBytes: number): Promise<OpenedBlob | undefined>;
  /** Removes a blob. Does nothing if the blob does not exist. @throws StoreUnusableError as `read` */
  remove(name: string): Promise<void>;
  /**
   * Lists all blobs that existed when the call began, in no order. The sweep uses the list to find blobs that a crash left. A
   * blob without a row may belong to a process that is about to store the row, so only old blobs are swept.
   *
   * @throws StoreUnusableError as `read`
   */
  names(): AsyncIterable<FoundBlob>;
  /** Ends the work under way and releases everything. Idempotent. */
  close(): Promise<void>;
}

export interface OpenedBlob extends AsyncDisposable {
  /**
   * The bytes of the range, or fewer if the blob ends earlier. Call this once.
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
