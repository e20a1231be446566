/** Pins each job to the version of the handler it began with: one isolate per version, and a job never changes its isolate. */
import type { LoadHead } from "../pipe/frame-kinds.ts";
import type { Failure } from "../protocol/failure.ts";
import type { HandedJob, LeaseRef } from "../protocol/outcome.ts";
import { Isolate, type IsolateOptions } from "./isolate.ts";
import type { JobIsolate, JobIsolateEvents } from "./job-isolate.ts";

/** Delay of the next standby process after a save: a file that was saved once is often saved again soon. */
const NEXT_STANDBY_DELAY_MS = 100;

/** Delay of the end of the former process, so that the first jobs of the new version have the machine to themselves. */
const RETIRE_AFTER_MS = 50;

/** An old version on its way out. */
interface Retirement {
  readonly ended: PromiseWithResolvers<void>;
  isEnding: boolean;
}

/**
 * One isolate is current, and every new job begins in it: that is the pin. With `reload` a next one starts, out of the idle
 * standby process if there is one; it becomes current when its handler is ready. The one that was current keeps the jobs
 * that began in it, gets no others, and ends when nothing runs in it any more.
 */
export class VersionedIsolate implements JobIsolate {
  readonly #options: IsolateOptions;
  readonly #events: JobIsolateEvents;
  #current: Isolate;
  #next: Isolate | undefined;
  /** Old versions, which finish their jobs. */
  readonly #retired = new Map<Isolate, Retirement>();
  /** Concurrency of the current version, once it was ready. */
  #concurrency: number | undefined;
  /** Why the current one will take no jobs any more; a next one may do better. */
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

  /** How many further jobs may come now; none until a new version is ready or given up. */
  get openPlaces(): number {
    return this.#next === undefined ? this.#current.openPlaces : 0;
  }

  /** Pins a job: it begins in the current version, and ends there whatever version comes meanwhile. */
  run(job: HandedJob): void {
    this.#current.run(job);
  }

  /** All versions are told; the job's own one reacts. */
  revoke(lease: LeaseRef): void {
    for (const isolate of this.#all()) isolate.revoke(lease);
  }

  chunksStored(lease: LeaseRef, nextIndex: number): void {
    for (const isolate of this.#all()) isolate.chunksStored(lease, nextIndex);
  }

  /** Starts a new version; one before it that has not become ready yet is given up. */
  reload(head: LoadHead): void {
    if (this.#isStopped) return;
    const superseded = this.#next;
    // A debugger's port is one process's at a time.
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

  /** The next one has failed: the current one takes jobs again, if it can. */
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

  /** An old version ends after its last job; its process may dispose of its state. */
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
