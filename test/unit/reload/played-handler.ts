/** A handler with scripted builds, and a watcher with scripted changes. */
import type { Build, BuiltHandler } from "../../../emulator/reload/bundler.ts";
import type { FileWatcher, FileWatcherEvents } from "../../../emulator/reload/file-watcher.ts";

/** Each build waits until the test lets it through, unless it `isQuick`. */
export class PlayedHandler implements BuiltHandler {
  isQuick = true;
  isClosed = false;
  builds = 0;
  files: readonly string[];
  /** Content of the next builds; default: each has another one. */
  content: string | undefined;
  /** The error of the next builds, if set. */
  problem: string | undefined;
  #running: (() => void)[] = [];

  constructor(...files: readonly string[]) {
    this.files = files;
  }

  async build(): Promise<Build> {
    this.builds += 1;
    const { builds, problem } = this;
    const files = new Set(this.files);
    if (!this.isQuick) await new Promise<void>((resolve) => this.#running.push(resolve));
    if (problem !== undefined) {
      return { isBuilt: false, problems: [{ text: problem }], files, missing: new Set() };
    }
    const sourcePath = this.files[0] ?? "";
    const made = { modulePath: `/made/${builds}`, fingerprint: this.content ?? String(builds) };
    return { isBuilt: true, ...made, sourcePath, files, missing: new Set() };
  }

  /** Lets all begun builds through. */
  finishBuilds(): void {
    for (const finish of this.#running.splice(0)) finish();
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

export class PlayedWatcher implements FileWatcher {
  readonly events: FileWatcherEvents;
  directories: readonly string[] = [];

  constructor(events: FileWatcherEvents) {
    this.events = events;
  }

  async watch(directories: ReadonlySet<string>): Promise<void> {
    this.directories = [...directories].toSorted();
  }

  async close(): Promise<void> {
    this.directories = [];
  }
}
