/** One handler under watch: built when one of its files has changed, and released when it could be built. */
import fs from "node:fs/promises";
import path from "node:path";
import type { BuildProblem } from "./build-problem.ts";
import type { Build, BuiltHandler } from "./bundler.ts";
import { configFilesOf } from "./config-files.ts";
import { counts, directoriesOf, type HandlerSources } from "./what-counts.ts";

/** What workers are to load. */
export interface LoadableModule {
  readonly modulePath: string;
  readonly sourcePath: string;
}

export interface HandlerReloadEvents {
  /** Resolves when workers are told to load it. Never rejects. */
  release(module: LoadableModule, tookMs: number): Promise<void>;
  unbuildable(problems: readonly BuildProblem[]): void;
  /** True while changes are on their way that concern these sources and that `changed` will be called for. */
  hasMore(sources: HandlerSources): boolean;
  /** Has the `directories` of all handlers watched. Resolves when changes in them are heard of. */
  watch(): Promise<void>;
}

/** How often in a row a build may be overtaken by further changes before what it made is released all the same. */
const MOST_OVERTAKEN = 3;

/** File times may lag behind the clock by this much. */
const CLOCK_STEP_MS = 20;

/** A build that was begun when the first of its files changed. */
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
  /** Its files have changed, and that is still to be released. */
  #isOutdated = false;
  /** A build that began ahead of that, and may be all that is needed. */
  #ahead: BuildAhead | undefined;
  #overtaken = 0;
  #isClosed = false;

  /** @param files of which it is known to be made before it was built here */
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

  /** One of its files is changing: a build begins ahead of `changed`, though there may be more to come. */
  changing(): void {
    if (this.#ahead !== undefined) this.#ahead.isOvertaken = true;
    else if (this.#working === undefined && !this.#isClosed) {
      this.#ahead = { startedAt: Date.now(), build: this.#handler.build(), isOvertaken: false };
    }
  }

  /**
   * Finds out what it is made of, by building it.
   *
   * @param since what changed after this moment (ms since 1970) is released as well
   */
  async learn(since: number): Promise<void> {
    // Whoever builds learns it anyway.
    if (this.#ahead !== undefined || this.#isClosed) return;
    this.#working ??= this.#work(async () => {
      await this.#heed(await this.#handler.build());
      if (await this.#hasChanged(this.#sources.files, since)) this.#isOutdated = true;
    });
    await this.#working;
  }

  /** Builds and releases it, for its files have changed. Resolves when nothing is left to be done. */
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
    // Whoever changes more has another build come, and one release is enough for both.
    const isOvertaken = this.#isOutdated || this.#events.hasMore({ ...this.#sources, ...build });
    this.#overtaken = isOvertaken ? this.#overtaken + 1 : 0;
    if (isOvertaken && this.#overtaken <= MOST_OVERTAKEN) return;
    if (build.isBuilt) await this.#events.release(build, Date.now() - startedAt);
    else this.#events.unbuildable(build.problems);
    const unheard = await this.#heed(build);
    if (await this.#hasChanged(unheard, startedAt)) this.#isOutdated = true;
  }

  /** What was built ahead, if nothing has changed since it began. */
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

  /** Answers the files in directories that were not watched before: nobody has told of what changed in them. */
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
