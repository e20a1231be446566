/** Watches directories with chokidar, one watcher for each. Chokidar is loaded when there is something to watch. */
import type { ChokidarOptions, FSWatcher } from "chokidar";
import type { FileWatcher, FileWatcherEvents } from "./file-watcher.ts";
import { limitOf, silentFileSystem, typeByStatfs } from "./silent-file-systems.ts";

export interface ChokidarWatcherOptions {
  /** Whether all files are polled. Default: those on file systems that do not report all changes. */
  readonly poll?: boolean | undefined;
  /** Default: the system's. */
  readonly typeOf?: typeof typeByStatfs;
  /** Default: chokidar's. */
  readonly open?: (directory: string, options: ChokidarOptions) => FSWatcher;
}

export class ChokidarWatcher implements FileWatcher {
  readonly #events: FileWatcherEvents;
  readonly #options: ChokidarWatcherOptions;
  #saysThatItPolls = false;
  readonly #watched = new Map<string, Promise<FSWatcher>>();
  #isClosed = false;

  constructor(events: FileWatcherEvents, options: ChokidarWatcherOptions = {}) {
    this.#events = events;
    this.#options = options;
  }

  async watch(directories: ReadonlySet<string>): Promise<void> {
    if (this.#isClosed) return;
    const dropped = [...this.#watched].filter(([directory]) => !directories.has(directory));
    await Promise.all(dropped.map(([directory, watcher]) => this.#drop(directory, watcher)));
    for (const directory of directories) {
      const known = this.#watched.get(directory);
      this.#watched.set(directory, known ?? this.#open(directory));
    }
    await Promise.all(this.#watched.values());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const watched = [...this.#watched];
    await Promise.all(watched.map(([directory, watcher]) => this.#drop(directory, watcher)));
  }

  async #drop(directory: string, watcher: Promise<FSWatcher>): Promise<void> {
    this.#watched.delete(directory);
    await (await watcher).close();
  }

  /** @param isLimited whether the system lets no more files be watched */
  async #open(directory: string, isLimited = false): Promise<FSWatcher> {
    const open = this.#options.open ?? (await import("chokidar")).watch;
    const usePolling = isLimited || (await this.#hasToPoll(directory));
    // `atomic: false`: a replaced file is one change, and the batch need not wait for another one.
    const watcher = open(directory, { depth: 0, ignoreInitial: true, atomic: false, usePolling });
    const { promise: begun, resolve: begins } = Promise.withResolvers<FSWatcher>();
    let isReplaced = false;
    watcher.on("ready", () => begins(watcher));
    watcher.on("all", (_, path) => this.#events.changed(path));
    watcher.on("error", (error) => {
      const limit = usePolling ? undefined : limitOf(error);
      if (limit === undefined) {
        this.#events.failed(`${directory}: ${messageOf(error)}`);
        return begins(watcher);
      }
      if (isReplaced || this.#isClosed) return;
      isReplaced = true;
      this.#sayOnce(
        `${directory} is polled, for the system lets no more files be watched: raise ${limit}`,
      );
      const polling = this.#poll(directory, watcher);
      if (this.#watched.has(directory)) this.#watched.set(directory, polling);
      begins(polling);
    });
    return begun;
  }

  /** Replaces the watcher by one that polls. */
  async #poll(directory: string, watcher: FSWatcher): Promise<FSWatcher> {
    const closed = watcher.close();
    // It has no listeners any more, and further errors may be on their way.
    watcher.on("error", () => undefined);
    await closed;
    return this.#open(directory, true);
  }

  async #hasToPoll(directory: string): Promise<boolean> {
    const { poll, typeOf = typeByStatfs } = this.#options;
    if (poll === true) return true;
    const name = silentFileSystem(await typeOf(directory));
    if (name === undefined) return false;
    this.#sayOnce(
      `${directory} is on a file system (${name}) that does not report all changes: its files are polled; on the system's own disk saves are seen at once`,
    );
    return true;
  }

  #sayOnce(sentence: string): void {
    if (this.#saysThatItPolls) return;
    this.#saysThatItPolls = true;
    this.#events.polls(sentence);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
