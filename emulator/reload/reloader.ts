/** Watches the files of all served handlers, releases changed ones, and notices handlers that appear or disappear. */
import { existsSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Clock, Disarm } from "../core/time/clock.ts";
import type { LocalHandler } from "../handlers/local-endpoint.ts";
import { type BuildProblem, describeProblems } from "./build-problem.ts";
import type { BuiltHandler } from "./bundler.ts";
import { ChangedPaths } from "./changed-paths.ts";
import type { FileWatcher, FileWatcherEvents } from "./file-watcher.ts";
import { HandlerReload, type LoadableModule } from "./handler-reload.ts";
import { counts, hasPath, type HandlerSources } from "./handler-sources.ts";
import { SelfWrites } from "./self-writes.ts";

/** Finds the handlers to serve, if they may change while the service runs. */
export interface HandlerSearch {
  /** Searches again. @throws Error that says why that is not possible now */
  find(): Promise<FoundHandlers>;
}

export interface FoundHandlers {
  readonly handlers: readonly LocalHandler[];
  /** Absolute directories. A change of their entries, or of `files`, may change the handlers. */
  readonly directories: ReadonlySet<string>;
  /** Files that declare handlers. */
  readonly files: ReadonlySet<string>;
}

/** Actions of the service on changes. */
export interface ReloadActions {
  /** Has the workers of a handler load the module. */
  release(handler: LocalHandler, module: LoadableModule): Promise<void>;
  /** Serves a new handler, or one with new settings. */
  serve(handler: LocalHandler): Promise<void>;
  /** Stops serving a handler. Its jobs stay in the queue. */
  withdraw(handler: LocalHandler): Promise<void>;
}

export interface ReloaderOptions {
  readonly clock: Clock;
  readonly log: ReloadLog;
  readonly actions: ReloadActions;
  readonly openHandler: (handler: LocalHandler) => BuiltHandler;
  readonly openWatcher: (events: FileWatcherEvents) => FileWatcher;
  /** Default: the handlers never change. */
  readonly search?: HandlerSearch | undefined;
}

export interface ReloadLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Delay after the start before the imports of handlers are examined. */
const LEARN_AFTER_MS = 1_000;

interface Watched {
  readonly handler: LocalHandler;
  readonly reload: HandlerReload;
  readonly selfWrites: SelfWrites;
}

export class Reloader {
  readonly #options: ReloaderOptions;
  readonly #watcher: FileWatcher;
  readonly #changes: ChangedPaths;
  readonly #watched = new Map<string, Watched>();
  #found: FoundHandlers | undefined;
  #searching: Promise<void> = Promise.resolve();
  #disarm: Disarm | undefined;
  #isClosed = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#changes = new ChangedPaths(options.clock, (paths) => this.#changed(paths));
    this.#watcher = options.openWatcher({
      changed: (changed) => this.#changing(changed),
      failed: (reason) => options.log.error({}, `files are not watched: ${reason}`),
      polls: (reason) => options.log.info({}, reason),
    });
  }

  /**
   * Begins with the served handlers. Never rejects.
   *
   * @param madeOf returns the known files of a handler, and when they were examined (ms since 1970)
   */
  async start(
    handlers: readonly LocalHandler[],
    madeOf: (handler: LocalHandler) => {
      readonly files: ReadonlySet<string>;
      readonly madeAt: number;
    },
  ): Promise<void> {
    const added = handlers.map((handler) => {
      const { files, madeAt } = madeOf(handler);
      return { reload: this.#add(handler, files), madeAt };
    });
    const { clock, search } = this.#options;
    this.#found = await search?.find().catch(() => undefined);
    await this.#watch();
    // The watcher did not report earlier changes.
    this.#searching = this.#search();
    this.#disarm = clock.wakeAt(clock.now() + LEARN_AFTER_MS, () => {
      for (const { reload, madeAt } of added) void reload.learn(madeAt);
    });
  }

  /** Ends all releases. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#disarm?.();
    this.#changes.clear();
    await this.#watcher.close();
    await this.#searching;
    await Promise.all(Array.from(this.#watched.values(), ({ reload }) => reload.close()));
  }

  #add(handler: LocalHandler, files: ReadonlySet<string>): HandlerReload {
    const selfWrites = new SelfWrites(handler.path);
    const reload = new HandlerReload(this.#options.openHandler(handler), files, {
      release: async (module, tookMs) => {
        selfWrites.released(this.#options.clock.now());
        await this.#release(handler, module, tookMs);
      },
      unbuildable: (problems) => this.#unbuildable(handler, problems),
      unchanged: () => this.#unchanged(handler),
      hasMore: (sources) => this.#hasMore(sources),
      watch: () => this.#watch(),
    });
    this.#watched.set(handler.id, { handler, reload, selfWrites });
    return reload;
  }

  async #watch(): Promise<void> {
    const directories = new Set(this.#found?.directories);
    for (const file of this.#found?.files ?? []) directories.add(path.dirname(file));
    for (const { reload } of this.#watched.values()) {
      for (const directory of reload.directories) directories.add(directory);
    }
    await this.#watcher.watch(directories);
  }

  #changing(changed: string): void {
    this.#changes.add(changed);
    for (const { reload, selfWrites } of this.#watched.values()) {
      if (reload.concerns(changed) && changed !== selfWrites.damped) reload.changing();
    }
  }

  #changed(paths: ReadonlySet<string>): void {
    if (this.#isClosed) return;
    const reload = () => this.#reloadThoseOf(paths);
    if (![...paths].some((changed) => this.#changesWhatIsServed(changed))) return reload();
    // The search comes first, because a handler that is no longer served need not be built.
    this.#searching = this.#searching.then(() => this.#search()).then(reload);
  }

  /** A changed file changes the served handlers only if it declares them. */
  #changesWhatIsServed(changed: string): boolean {
    if (this.#found === undefined) return false;
    const { files, directories } = this.#found;
    if (hasPath(files, changed)) return true;
    if (!hasPath(directories, path.dirname(changed)) && !hasPath(directories, changed))
      return false;
    return !this.#concernsAny(changed) || !existsSync(changed);
  }

  #concernsAny(changed: string): boolean {
    return this.#watched.values().some(({ reload }) => reload.concerns(changed));
  }

  #reloadThoseOf(paths: ReadonlySet<string>): void {
    for (const { handler, reload, selfWrites } of this.#watched.values()) {
      const files = [...paths].filter((changed) => reload.concerns(changed));
      if (files.length === 0) continue;
      const before = selfWrites.damped;
      if (selfWrites.changed(files, this.#options.clock.now())) void reload.changed();
      else if (before === undefined) this.#damped(handler, files);
    }
  }

  #hasMore(sources: HandlerSources): boolean {
    return this.#changes.some((changed) => counts(changed, sources));
  }

  async #search(): Promise<void> {
    const { search, log } = this.#options;
    if (this.#isClosed || search === undefined) return;
    try {
      const found = await search.find();
      const before = this.#found?.directories;
      this.#found = found;
      await this.#serveOthers(found.handlers);
      await this.#watch();
      // The watcher did not report what appeared in a new directory before it was watched.
      if (![...found.directories].every((directory) => before?.has(directory)))
        await this.#search();
    } catch (error) {
      log.error({}, `the same handlers are still served: ${messageOf(error)}`);
    }
  }

  async #serveOthers(handlers: readonly LocalHandler[]): Promise<void> {
    const { actions } = this.#options;
    for (const { handler, reload } of [...this.#watched.values()]) {
      const now = handlers.find(({ id }) => id === handler.id);
      if (now !== undefined && isDeepStrictEqual(now, handler)) continue;
      this.#watched.delete(handler.id);
      await reload.close();
      if (now === undefined) await this.#try(handler, () => actions.withdraw(handler));
    }
    for (const handler of handlers) {
      if (this.#watched.has(handler.id)) continue;
      const since = Date.now();
      await this.#try(handler, () => actions.serve(handler));
      void this.#add(handler, new Set([handler.path])).learn(since);
    }
  }

  async #release(handler: LocalHandler, module: LoadableModule, tookMs: number): Promise<void> {
    const { log, actions } = this.#options;
    await this.#try(handler, async () => {
      await actions.release(handler, module);
      log.info({ endpointId: handler.id, tookMs }, "built: its workers load the new version");
    });
  }

  #unchanged(handler: LocalHandler): void {
    const fields = { endpointId: handler.id };
    this.#options.log.info(fields, "built: nothing has changed, the version in service stays");
  }

  #damped(handler: LocalHandler, [file = ""]: readonly string[]): void {
    this.#options.log.warn(
      { endpointId: handler.id, file },
      `${file} changes with each new version: the handler writes what it imports. It is loaded again when another file is saved`,
    );
  }

  #unbuildable(handler: LocalHandler, problems: readonly BuildProblem[]): void {
    const message = `${path.basename(handler.path)} cannot be built, the previous version stays in service:`;
    const fields = { endpointId: handler.id, handler: handler.path };
    this.#options.log.error(fields, `${message}\n${describeProblems(problems)}`);
  }

  async #try(handler: LocalHandler, action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      const fields = { endpointId: handler.id, handler: handler.path };
      this.#options.log.error(fields, `the change has no effect: ${messageOf(error)}`);
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
