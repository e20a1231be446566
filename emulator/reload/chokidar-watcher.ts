/** Watches directories with chokidar, which is loaded when there is something to watch: one watcher for each. */
import type { FSWatcher } from "chokidar";
import type { FileWatcher, FileWatcherEvents } from "./file-watcher.ts";

export class ChokidarWatcher implements FileWatcher {
  readonly #events: FileWatcherEvents;
  readonly #watched = new Map<string, Promise<FSWatcher>>();
  #isClosed = false;

  constructor(events: FileWatcherEvents) {
    this.#events = events;
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
    // `atomic: false`: whoever gathers the changes sees a file that is replaced as one of them, and need not wait for more.
    const watcher = watch(directory, { depth: 0, ignoreInitial: true, atomic: false });
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
}
