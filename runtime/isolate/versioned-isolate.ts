/**
 * Pins each job to the version of the handler with which it began. Each version has its own isolate, and a job never changes
 * its isolate.
 */
import type { LoadHead } from "../pipe/frame-kinds.ts";
import type { Failure } from "../protocol/failure.ts";
import type { HandedJob, LeaseRef } from "../protocol/outcome.ts";
import { Isolate, type IsolateOptions } from "./isolate.ts";
import type { JobIsolate, JobIsolateEvents } from "./job-isolate.ts";

/** Delay of the next standby process after a save, because a saved file is often saved again soon. */
const NEXT_STANDBY_DELAY_MS = 100;

/** Delay of the end of the old process, so that it does not slow down the first jobs of the new version. */
const RETIRE_AFTER_MS = 50;

/** An old version that is being retired. */
interface Retirement {
  readonly ended: PromiseWithResolvers<void>;
  isEnding: boolean;
}

/**
 * One isolate is current, and every new job begins in it. `reload` starts the next isolate, in the idle standby process if
 * there is one. It becomes current when its handler is ready. The old isolate keeps its jobs, gets no others, and ends after
 * its last job.
 */
export class VersionedIsolate implements JobIsolate {
  readonly #options: IsolateOptions;
  readonly #events: JobIsolateEvents;
  #current: Isolate;
  #next: Isolate | undefined;
  /** Old versions that still finish jobs. */
  readonly #retired = new Map<Isolate, Retirement>();
  /** Concurrency of the current version; undefined before it is ready. */
  #concurrency: number | undefined;
  /** Why the current version takes no more jobs. The next version may work. */
  #currentFailure: Failure | undefined;
  #isStopped = false;

  constructor(options: IsolateOptions, events: JobIsolateEvents) {
    this.#options = options;
    this.#events = events;
    this.#current = this.#newIsolate(options);
  }

  start(): void {
    this.#current.keeper.start();
  }

  load(head: LoadHead): void {
    this.#current.load(head);
  }

  get pid(): number | undefined {
    return this.#current.keeper.pid;
  }

  get standbyPid(): number | undefined {
    return this.#current.keeper.standbyPid;
  }

  /** Number of jobs without an outcome, in all versions. */
  get openJobs(): number {
    return this.#all().reduce((sum, isolate) => sum + isolate.openJobs, 0);
  }

  /** Number of jobs that can be accepted now. 0 until a new version is ready or has failed. */
  get openPlaces(): number {
    return this.#next === undefined ? this.#current.openPlaces : 0;
  }

  /** Starts a job in the current version, in which it also ends, even if a new version becomes current. */
  run(job: HandedJob): void {
    this.#current.run(job);
  }

  /** Tells all versions; only the version with the job reacts. */
  revoke(lease: LeaseRef): void {
    for (const isolate of this.#all()) isolate.revoke(lease);
  }

  chunksStored(lease: LeaseRef, nextIndex: number): void {
    for (const isolate of this.#all()) isolate.chunksStored(lease, nextIndex);
  }

  /** Starts a new version. An earlier one that is not ready yet is ended. */
  reload(head: LoadHead): void {
    if (this.#isStopped) return;
    const superseded = this.#next;
    // Only one process at a time can use the debugger's port.
    if (this.#options.inspect !== undefined) this.#retire(this.#current);
    const next = this.#newIsolate({
      ...this.#options,
      standbyDelayMs: Math.min(this.#options.standbyDelayMs, NEXT_STANDBY_DELAY_MS),
    });
    this.#next = next;
    if (superseded !== undefined) this.#retire(superseded);
    if (this.#options.inspect === undefined) return this.#begin(next, head);
    const ended = [...this.#retired.values()].map((retirement) => retirement.ended.promise);
    void this.#beginAfter(ended, next, head);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#all().map((isolate) => isolate.stop()));
  }

  killNow(): void {
    this.#isStopped = true;
    for (const { keeper } of this.#all()) keeper.killNow();
  }

  #all(): Isolate[] {
    const next = this.#next === undefined ? [] : [this.#next];
    return [...new Set([this.#current, ...next, ...this.#retired.keys()])];
  }

  async #beginAfter(ended: readonly Promise<void>[], next: Isolate, head: LoadHead): Promise<void> {
    await Promise.all(ended);
    this.#begin(next, head);
  }

  #begin(next: Isolate, head: LoadHead): void {
    if (this.#isStopped || this.#next !== next) return;
    next.keeper.start(this.#current.keeper.giveStandby());
    next.load(head);
  }

  #newIsolate(options: IsolateOptions): Isolate {
    const isolate: Isolate = new Isolate(options, {
      ...this.#events,
      ready: (concurrency) => this.#ready(isolate, concurrency),
      described: (schemas) => {
        if (isolate === this.#current) this.#events.described(schemas);
      },
      unusable: (failure) => this.#unusable(isolate, failure),
      placesChanged: () => {
        this.#events.placesChanged();
        this.#endIfIdle(isolate);
      },
    });
    return isolate;
  }

  #ready(isolate: Isolate, concurrency: number): void {
    if (isolate === this.#next) {
      const before = this.#current;
      this.#current = isolate;
      this.#next = undefined;
      this.#currentFailure = undefined;
      this.#retire(before, RETIRE_AFTER_MS);
      this.#events.reloaded();
    }
    if (isolate !== this.#current) return;
    this.#concurrency = concurrency;
    if (this.#next === undefined) this.#events.ready(concurrency);
  }

  #unusable(isolate: Isolate, failure: Failure): void {
    if (isolate === this.#next) {
      this.#next = undefined;
      this.#retire(isolate);
      this.#keepCurrent(failure);
    } else if (isolate === this.#current) {
      this.#currentFailure = failure;
      if (this.#next === undefined) this.#events.unusable(failure);
    }
  }

  /** Called when the next version has failed. The current one takes jobs again, if it can. */
  #keepCurrent(failure: Failure): void {
    if (this.#currentFailure !== undefined || this.#retired.has(this.#current)) {
      return this.#events.unusable(failure);
    }
    this.#events.reloadFailed(failure);
    this.#current.keeper.renewStandby();
    if (this.#concurrency === undefined) return;
    this.#events.ready(this.#concurrency);
    this.#events.placesChanged();
  }

  #retire(isolate: Isolate, delayMs = 0): void {
    if (this.#retired.has(isolate)) return;
    this.#retired.set(isolate, { ended: Promise.withResolvers(), isEnding: false });
    isolate.keeper.dropStandby();
    setTimeout(() => this.#endIfIdle(isolate), delayMs).unref();
  }

  /** Ends an old version after its last job. Its process may run `dispose`. */
  #endIfIdle(isolate: Isolate): void {
    const retirement = this.#retired.get(isolate);
    if (retirement === undefined || retirement.isEnding || isolate.isBusy) return;
    retirement.isEnding = true;
    void isolate.stop().then(() => {
      this.#retired.delete(isolate);
      retirement.ended.resolve();
    });
  }
}
