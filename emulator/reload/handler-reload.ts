/** Builds one watched handler when one of its files has changed, and releases it if the build succeeds. */
import fs from "node:fs/promises";
import path from "node:path";
import { configFilesOf } from "../../runtime/load/config-files.ts";
import type { BuildProblem } from "./build-problem.ts";
import type { Build, BuiltHandler } from "./bundler.ts";
import { counts, directoriesOf, type HandlerSources } from "./handler-sources.ts";

/** The module that workers load. */
export interface LoadableModule {
  readonly modulePath: string;
  readonly sourcePath: string;
}

export interface HandlerReloadEvents {
  /** Resolves when workers were told to load the module. Never rejects. */
  release(module: LoadableModule, tookMs: number): Promise<void>;
  unbuildable(problems: readonly BuildProblem[]): void;
  /** The build is the version in service. */
  unchanged(): void;
  /** True while changes of these sources are on their way, for which `changed` will be called. */
  hasMore(sources: HandlerSources): boolean;
  /** Watches the `directories` of all handlers. Resolves when changes in them are reported. */
  watch(): Promise<void>;
}

/** Maximum builds in a row that further changes overtake. The next one is released all the same. */
const MOST_OVERTAKEN = 3;

/** Maximum lag of file times behind the clock. */
const CLOCK_STEP_MS = 20;

/** A build that began when the first file changed. */
interface BuildAhead {
  readonly startedAt: number;
  readonly build: Promise<Build>;
  isOvertaken: boolean;
}

export class HandlerReload {
  readonly #handler: BuiltHandler;
  readonly #events: HandlerReloadEvents;
  #sources: HandlerSources;
  #working: Promise<void> | undefined;
  /** Its files have changed since the last release. */
  #isOutdated = false;
  /** A build that began before the batch of changes was complete. It may be sufficient. */
  #ahead: BuildAhead | undefined;
  #overtaken = 0;
  /** Fingerprint of the version in service; undefined as long as it is not known. */
  #released: string | undefined;
  #isClosed = false;

  /** @param files the known files before the first build here */
  constructor(handler: BuiltHandler, files: ReadonlySet<string>, events: HandlerReloadEvents) {
    this.#handler = handler;
    this.#events = events;
    this.#sources = { files, configs: new Set(), missing: new Set() };
  }

  get directories(): ReadonlySet<string> {
    return directoriesOf(this.#sources);
  }

  concerns(changed: string): boolean {
    return counts(changed, this.#sources);
  }

  /** One of its files is changing: a build begins before `changed` is called, although more changes may follow. */
  changing(): void {
    if (this.#ahead !== undefined) this.#ahead.isOvertaken = true;
    else if (this.#working === undefined && !this.#isClosed) {
      this.#ahead = { startedAt: Date.now(), build: this.#handler.build(), isOvertaken: false };
    }
  }

  /** Builds the handler to learn its files. @param since changes after this moment (ms since 1970) are released as well */
  async learn(since: number): Promise<void> {
    // The running build finds the files anyway.
    if (this.#ahead !== undefined || this.#isClosed) return;
    this.#working ??= this.#work(async () => {
      const build = await this.#handler.build();
      await this.#heed(build);
      if (await this.#hasChanged(this.#sources.files, since)) this.#isOutdated = true;
      else if (build.isBuilt) this.#released = build.fingerprint;
    });
    await this.#working;
  }

  /** Builds and releases the handler after a change. Resolves when nothing is left to do. */
  async changed(): Promise<void> {
    this.#isOutdated = true;
    this.#working ??= this.#work(() => this.#reload());
    await this.#working;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
    await this.#ahead?.build;
    await this.#handler.close();
  }

  async #work(first: () => Promise<void>): Promise<void> {
    try {
      await first();
      while (this.#isOutdated && !this.#isClosed) await this.#reload();
    } finally {
      this.#working = undefined;
    }
  }

  async #reload(): Promise<void> {
    this.#isOutdated = false;
    const { startedAt, build } = await this.#build();
    if (this.#isClosed) return;
    // Further changes cause another build, and one release is enough for both.
    const isOvertaken = this.#isOutdated || this.#events.hasMore({ ...this.#sources, ...build });
    this.#overtaken = isOvertaken ? this.#overtaken + 1 : 0;
    if (isOvertaken && this.#overtaken <= MOST_OVERTAKEN) return;
    if (!build.isBuilt) this.#events.unbuildable(build.problems);
    else if (build.fingerprint === this.#released) this.#events.unchanged();
    else {
      this.#released = build.fingerprint;
      await this.#events.release(build, Date.now() - startedAt);
    }
    const unheard = await this.#heed(build);
    if (await this.#hasChanged(unheard, startedAt)) this.#isOutdated = true;
  }

  /** The build that began ahead, if nothing has changed since; else a new one. */
  async #build(): Promise<{ readonly startedAt: number; readonly build: Build }> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    const build = await ahead?.build;
    if (build !== undefined && ahead?.isOvertaken === false) {
      return { startedAt: ahead.startedAt, build };
    }
    const startedAt = Date.now();
    return { startedAt, build: await this.#handler.build() };
  }

  /** Returns the files in directories that were not watched before. Changes of them were not reported. */
  async #heed({ files, missing }: Build): Promise<ReadonlySet<string>> {
    const before = this.directories;
    this.#sources = { files, missing, configs: await configFilesOf(files) };
    await this.#events.watch();
    return new Set([...files].filter((file) => !before.has(path.dirname(file))));
  }

  async #hasChanged(files: ReadonlySet<string>, since: number): Promise<boolean> {
    const changes = Array.from(files, async (file) => {
      const stats = await fs.stat(file).catch(() => undefined);
      return stats !== undefined && stats.mtimeMs > since - CLOCK_STEP_MS;
    });
    return (await Promise.all(changes)).includes(true);
  }
}
