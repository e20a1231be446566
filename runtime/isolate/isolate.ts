/** Runs jobs in a handler process. Each job ends in time and with a cause. */
import { pausableMachineClock } from "../pipe/machine-clock.ts";
import {
  ORDER,
  REPORT,
  type ChunksHead,
  type CompletedHead,
  type FailedHead,
  type LoadHead,
  type ReadyHead,
} from "../pipe/frame-kinds.ts";
import type { Frame } from "../pipe/frames.ts";
import type { Failure } from "../protocol/failure.ts";
import type { HandedJob, LeaseRef, Outcome } from "../protocol/outcome.ts";
import { timedOut, uncaughtLine, withLogLines } from "./ending/failure-report.ts";
import { exitFailure, attributeExit, type ProcessEnd } from "./ending/attribute-exit.ts";
import { JobLadder } from "./ending/ladder.ts";
import type { IsolateEvents } from "./job-isolate.ts";
import { JobLeftovers, type LeftoverOptions } from "./job-leftovers.ts";
import { ProcessKeeper, type KeeperOptions } from "./process-keeper.ts";
import {
  pauseOf,
  runOrder,
  RunningJobs,
  type EndingCause,
  type RunningJob,
} from "./running-jobs.ts";

export type IsolateOptions = KeeperOptions & LeftoverOptions;

const handedBack: Outcome = { kind: "handed-back" };
const stopped: Outcome = { kind: "stopped" };

/**
 * The life of a job: waiting for a ready process → running → ended by itself. If its deadline passes or its lease is revoked
 * first, its outcome is decided at once and its handler is asked to stop. If it does not stop within a grace, the whole process
 * ends, and the other jobs in it are handed back.
 */
export class Isolate {
  readonly #options: IsolateOptions;
  readonly #events: IsolateEvents;
  /** The handler processes. Start it before `load`. */
  readonly keeper: ProcessKeeper;
  readonly #jobs = new RunningJobs();
  readonly #leftovers: JobLeftovers;
  readonly #clock = pausableMachineClock(() => this.keeper.clockChanged());
  readonly #ladder: JobLadder<RunningJob>;
  #concurrency = 0;
  /** Number of jobs that are being ended and have not stopped yet. */
  #stopping = 0;
  /** Number of next jobs that run alone, after a crash that several jobs may have caused. */
  #aloneFor = 0;
  /** True if the process will be replaced when its jobs are done. No more jobs begin in it. */
  #isRefreshing = false;
  #isStopped = false;

  constructor(options: IsolateOptions, events: IsolateEvents) {
    this.#options = options;
    this.#events = events;
    this.#leftovers = new JobLeftovers(options);
    this.#ladder = new JobLadder<RunningJob>(this.#clock, options.graceMs, {
      late: (job) => this.#stopJob(job, "deadline"),
      stubborn: (job) => {
        this.#handBackOpen();
        this.keeper.endSpoiled(job.lease.jobId);
      },
    });
    this.keeper = new ProcessKeeper(options, this.#clock, {
      ...events,
      ready: (concurrency) => this.#ready(concurrency),
      frame: (frame) => this.#handleFrame(frame),
      clockChanged: () => this.#clockChanged(),
      gone: (end, lastLines) => this.#gone(end, lastLines),
      restartFailed: (failure, retryInMs) => {
        this.#handBackAll();
        events.restartFailed(failure, retryInMs);
      },
      unusable: (failure) => {
        this.#handBackAll();
        events.unusable(failure);
      },
    });
  }

  load(head: LoadHead): void {
    this.keeper.load({ ...head, tempRoot: this.#leftovers.tempRoot });
  }

  /** Number of jobs without an outcome. */
  get openJobs(): number {
    return this.#jobs.open().length;
  }

  /** Whether any begun job still occupies the process, with or without an outcome. */
  get isBusy(): boolean {
    return this.#jobs.started().length > 0;
  }

  /** Number of jobs that can be accepted now. 0 while a job does not stop, because its process may have to end. */
  get openPlaces(): number {
    if (!this.#takesJobs || this.#stopping > 0 || this.#isStopped) return 0;
    return Math.max(0, this.#places - this.#jobs.size);
  }

  get #takesJobs(): boolean {
    return this.keeper.isReady && !this.#isRefreshing;
  }

  get #places(): number {
    return this.#aloneFor > 0 ? 1 : this.#concurrency;
  }

  run(handed: HandedJob): void {
    // The number of places may have shrunk since the job was requested.
    if (this.#isStopped || this.#jobs.size >= this.#places) {
      this.#events.outcome(handed, handedBack);
      this.#events.placesChanged();
      return;
    }
    const job = this.#jobs.add(handed, this.#clock);
    this.#ladder.add(job);
    if (this.#clock.isPaused) this.#events.paused(pauseOf(job, this.#clock));
    if (this.#takesJobs) this.#begin(job);
  }

  /** Stops a job whose lease the service has revoked. Only its stop is reported. */
  revoke(lease: LeaseRef): void {
    const job = this.#jobs.of(lease);
    if (job === undefined || job.ending !== undefined) return;
    this.#stopJob(job, "revoked");
  }

  chunksStored(lease: LeaseRef, nextIndex: number): void {
    const job = this.#jobs.of(lease);
    if (job !== undefined) this.keeper.send(ORDER.receipt, job.slot, { nextIndex });
  }

  /** Hands back all unfinished jobs, and ends the handler process for good. Idempotent; may be called before `start`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const isIdle = this.#jobs.started().length === 0;
    for (const job of this.#jobs.open()) this.#decide(job, "handed-back", handedBack);
    this.#ladder.clear();
    await this.keeper.stop(isIdle);
    await this.#leftovers.close();
  }

  #ready(concurrency: number): void {
    this.#concurrency = concurrency;
    if (this.#takesJobs) for (const job of this.#jobs.waiting()) this.#begin(job);
    this.#events.ready(concurrency);
    this.#events.placesChanged();
    this.#leftovers.clearOldOnes();
  }

  #begin(job: RunningJob): void {
    const handed = job.waiting;
    if (handed === undefined) return;
    job.waiting = undefined;
    const { head, payload } = runOrder(handed, job.dueAt - this.#clock.now());
    this.keeper.send(ORDER.run, job.slot, head, payload);
  }

  #handleFrame(frame: Frame): void {
    // The handler process's own program writes all heads, so they are valid.
    if (frame.kind === REPORT.spoiled) return this.#spoiled(frame.slot, this.#failedHead(frame));
    if (frame.kind === REPORT.concurrency) {
      return this.#ready((JSON.parse(frame.head) as ReadyHead).concurrency);
    }
    if (frame.kind === REPORT.schemas) return this.#events.described(frame.payload);
    if (frame.kind === REPORT.refresh) {
      this.#isRefreshing = true;
      return;
    }
    const job = this.#jobs.at(frame.slot);
    if (job === undefined) return;
    switch (frame.kind) {
      case REPORT.completed: {
        const { hasOutput } = JSON.parse(frame.head) as CompletedHead;
        const output = hasOutput ? { output: frame.payload } : undefined;
        return this.#close(job, { kind: "completed", ...output });
      }
      case REPORT.failed:
        job.failure = this.#failedHead(frame);
        // The last output may still be in another pipe, which is read in this turn of the event loop, perhaps after this frame.
        setImmediate(() => this.#closeFailed(job));
        return;
      case REPORT.declined:
        return this.#close(job, handedBack);
      case REPORT.tempDir:
      case REPORT.uploadOpened:
      case REPORT.uploadClosed:
        return this.#leftovers.heard(frame);
      case REPORT.chunks:
        if (job.ending !== undefined) return;
        return this.#events.chunks(job.lease, {
          ...(JSON.parse(frame.head) as ChunksHead),
          lines: frame.payload,
        });
      case REPORT.progress:
        if (job.ending !== undefined) return;
        return this.#events.progress(job.lease, frame.payload);
    }
  }

  #closeFailed(job: RunningJob): void {
    if (job.failure === undefined || this.#jobs.at(job.slot) !== job) return;
    this.#close(job, { kind: "failed", failure: this.#withLastLines(job, job.failure) });
  }

  #failedHead({ head }: Frame): FailedHead {
    return this.#options.mask.words(JSON.parse(head) as FailedHead);
  }

  #withLastLines(job: RunningJob, failure: Failure): Failure {
    return withLogLines(failure, this.keeper.lastLines(job.lease.jobId));
  }

  /** Decides the outcome now, and gives the handler its grace. */
  #stopJob(job: RunningJob, cause: "deadline" | "revoked"): void {
    const outcome =
      cause === "revoked"
        ? undefined
        : timedOut(job.executionTimeoutMs, this.keeper.lastLines(job.lease.jobId));
    if (job.waiting !== undefined) return this.#close(job, outcome ?? stopped);
    this.#decide(job, cause, outcome);
    this.#ladder.stop(job, () => this.keeper.send(ORDER.abort, job.slot));
  }

  /** Decides the outcome. The first cause wins; nothing the handler does later changes it. */
  #decide(job: RunningJob, cause: EndingCause, outcome: Outcome | undefined): void {
    if (job.ending !== undefined || job.failure !== undefined) return;
    job.ending = cause;
    this.#stopping++;
    if (outcome !== undefined) this.#events.outcome(job.lease, outcome);
  }

  /** Frees the job's place. */
  #close(job: RunningJob, outcome: Outcome | undefined): void {
    this.#jobs.remove(job);
    this.#ladder.remove(job);
    this.#leftovers.remove(job.slot);
    if (this.#aloneFor > 0 && job.ending !== "handed-back") this.#aloneFor--;
    if (job.ending !== undefined) this.#stopping--;
    const last = job.ending === "revoked" ? stopped : !job.ending && outcome;
    if (last) this.#events.outcome(job.lease, last);
    if (this.#isRefreshing && this.#jobs.started().length === 0) this.keeper.retire();
    this.#events.placesChanged();
  }

  #clockChanged(): void {
    this.#ladder.clockChanged();
    for (const job of this.#jobs.open()) this.#events.paused(pauseOf(job, this.#clock));
  }

  #handBackAll(): void {
    for (const job of this.#jobs.open()) this.#close(job, handedBack);
  }

  #undecidedSlots(): number[] {
    const undecided = this.#jobs
      .started()
      .filter(({ ending, failure }) => ending === undefined && failure === undefined);
    return undecided.map((job) => job.slot);
  }

  #handBackOpen(): void {
    for (const job of this.#jobs.started()) this.#decide(job, "handed-back", handedBack);
  }

  /** Handles an uncaught error. The process ends itself, or else is ended. */
  #spoiled(slot: number, head: FailedHead): void {
    const attribution = attributeExit(slot === 0 ? {} : { exitedBy: slot }, this.#undecidedSlots());
    for (const lost of attribution.lost) {
      const job = this.#jobs.at(lost);
      if (job !== undefined)
        this.#decide(job, "failed", { kind: "failed", failure: this.#withLastLines(job, head) });
    }
    // Logged, because no failure report contains the error.
    if (attribution.lost.length === 0) this.#events.line(uncaughtLine(head));
    this.#handBackOpen();
    if (attribution.isUnclear) this.#aloneFor = attribution.handedBack.length;
    this.keeper.endSpoiled();
  }

  #gone(end: ProcessEnd, lastLines: (jobId: string) => string[]): void {
    this.#isRefreshing = false;
    const attribution = attributeExit(end, this.#undecidedSlots());
    for (const job of this.#jobs.started()) {
      const lines = lastLines(job.lease.jobId);
      if (job.failure !== undefined) {
        this.#close(job, { kind: "failed", failure: withLogLines(job.failure, lines) });
        continue;
      }
      const isLost = attribution.lost.includes(job.slot);
      this.#close(job, isLost ? { kind: "lost", failure: exitFailure(end, lines) } : handedBack);
    }
    if (attribution.isUnclear) this.#aloneFor = attribution.handedBack.length;
  }
}
