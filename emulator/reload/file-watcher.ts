/** Port: hears of what changes in directories. */

export interface FileWatcher {
  /**
   * From the moment this resolves on, everything that comes, changes or goes directly in one of these directories is
   * told, and nothing that happens elsewhere. A directory that does not exist is told of when it comes.
   */
  watch(directories: ReadonlySet<string>): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface FileWatcherEvents {
  /** Something came, changed or went at this absolute path. */
  changed(path: string): void;
  /** Some changes may not be told; a sentence. */
  failed(reason: string): void;
  /** Changes are told late, for somewhere files have to be looked at again and again; a sentence, once. */
  polls(reason: string): void;
}
