/** Watches directories with chokidar, one watcher for each. Chokidar is loaded when there is something to watch. */
import { statfs } from "node:fs/promises";
import type { FSWatcher } from "chokidar";
import type { FileWatcher, FileWatcherEvents } from "./file-watcher.ts";

/** The `statfs` type of 9p, which is `/mnt/c` in WSL 2: Linux gets no notice of changes of these Windows files. */
const V9FS = 0x0102_1997;

/** The file system type of a directory. Undefined if it is not known, for example because the directory does not exist. */
export type FileSystemType = (directory: string) => Promise<number | undefined>;

const typeByStatfs: FileSystemType = async (directory) => {
  const found = await statfs(directory).catch(() => undefined);
  return found?.type;
};

export class ChokidarWatcher implements FileWatcher {
  readonly #events: FileWatcherEvents;
  readonly #typeOf: FileSystemType;
  #saysThatItPolls = false;
  readonly #watched = new Map<string, Promise<FSWatcher>>();
  #isClosed = false;

  constructor(events: FileWatcherEvents, typeOf = typeByStatfs) {
    this.#events = events;
    this.#typeOf = typeOf;
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

  async #open(directory: string): Promise<FSWatcher> {
    const { watch } = await import("chokidar");
    // `atomic: false`: a replaced file is one change, and the batch need not wait for another one.
    const usePolling = await this.#hasToPoll(directory);
    const watcher = watch(directory, { depth: 0, ignoreInitial: true, atomic: false, usePolling });
    const { promise: isReady, resolve: ready } = Promise.withResolvers<void>();
    watcher.on("ready", ready);
    watcher.on("all", (_, path) => this.#events.changed(path));
    watcher.on("error", (error) => {
      this.#events.failed(
        `${directory}: ${error instanceof Error ? error.message : String(error)}`,
      );
      ready();
    });
    await isReady;
    return watcher;
  }

  async #hasToPoll(directory: string): Promise<boolean> {
    if ((await this.#typeOf(directory)) !== V9FS) return false;
    if (!this.#saysThatItPolls) {
      this.#saysThatItPolls = true;
      this.#events.polls(
        `${directory} is a directory of Windows, which does not report changes: its files are polled; in the home directory of Linux saves are seen at once`,
      );
    }
    return true;
  }
}
