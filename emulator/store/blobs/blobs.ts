/**
 * Port: large payloads outside of a store that several processes share. The store's rows hold their names; a blob never
 * changes once it is there. Whose bytes they are, and whether they are those that were stored, is the store's affair.
 */

export interface Blobs {
  /**
   * Stores the parts after one another as one blob; it is durable when this resolves. A name is used once: it is not put
   * again but with the same bytes, by a caller that does not know how the first time ended. The parts must not change meanwhile.
   *
   * @throws StoreUnusableError when the service cannot be reached or refuses it; StoreFullError when it has no room.
   *   Something of it may be there then, which the sweep removes.
   */
  put(name: string, parts: readonly Uint8Array[]): Promise<void>;
  /**
   * Opens a range of a blob; undefined if there is no such blob. Once it is opened it is read to its end, or disposed of.
   *
   * @throws StoreUnusableError when the service cannot be reached or refuses it
   */
  read(name: string, offset: number, sizeBytes: number): Promise<OpenedBlob | undefined>;
  /** Removes a blob; does nothing if there is none. @throws StoreUnusableError as `read` */
  remove(name: string): Promise<void>;
  /**
   * All blobs that were there when it began, in no order. For the sweep of what a crash left: one that no row refers to may
   * be that of a process that is about to store its row, so only those are swept that were written long ago.
   *
   * @throws StoreUnusableError as `read`
   */
  names(): AsyncIterable<FoundBlob>;
  /** Ends what is under way and releases everything. Idempotent. */
  close(): Promise<void>;
}

export interface OpenedBlob extends AsyncDisposable {
  /**
   * The bytes of the range, fewer of them where the blob ends before it. To be called once.
   *
   * @throws StoreUnusableError where they cannot be read on
   */
  slices(): AsyncIterable<Uint8Array>;
}

export interface FoundBlob {
  readonly name: string;
  /** Unix time in ms, by the clock of the service that keeps it. */
  readonly writtenAt: number;
}
