/** Port: reports changes in directories. */

export interface FileWatcher {
  /**
   * Once this resolves, every entry that appears, changes or disappears directly in one of these directories is reported, and nothing
   * else. A missing directory is reported when it appears.
   */
  watch(directories: ReadonlySet<string>): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface FileWatcherEvents {
  /** An entry at this absolute path appeared, changed or disappeared. */
  changed(path: string): void;
  /** Some changes may be missed; `reason` is a sentence. */
  failed(reason: string): void;
  /** Changes are reported late because files have to be polled; `reason` is a sentence. Called once. */
  polls(reason: string): void;
}
