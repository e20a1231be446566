/**
 * Runs a handler's jobs in this very process, for tests: its closures, mocks and coverage are the test's own. Nothing here
 * can be ended from outside: a handler that does not stop is abandoned.
 */
import type { JobLog, LogFields } from "../handler/contract.ts";
import type { HandlerLife } from "../handler/handler-life.ts";
import { JobInvocation, readJob } from "../handler/job/invocation.ts";
import type { InvocationResult } from "../handler/job/invoke.ts";
import { openLog } from "../handler/job/job-context.ts";
import type { LoadedHandler } from "../handler/module/read-module.ts";
import { describeThrown } from "../handler/thrown.ts";
import { timedOut, withLogLines } from "../isolate/ending/failure-report.ts";
import type { JobIsolate, JobIsolateEvents } from "../isolate/job-isolate.ts";
import type { SecretMask } from "../isolate/secret-mask.ts";
import { logLine, parseLine } from "../pipe/tagged-lines.ts";
import type { LogLevel } from "../protocol/worker-log.ts";
import type { Failure } from "../protocol/failure.ts";
import { LIMITS } from "../protocol/limits.ts";
import { type HandedJob, leaseKey, type LeaseRef, type Outcome } from "../protocol/outcome.ts";
import { beginInTime } from "./begin-in-time.ts";
import { LocalPort, type LocalTerms } from "./local-port.ts";

export interface InProcessIsolateOptions extends LocalTerms {
  readonly handler: LoadedHandler;
  /** How long a job that was told to stop keeps its place, ms. */
  readonly graceMs: number;
  /** How long `setup` may take, ms. */
  readonly initLimitMs: number;
}

/** When all is ended at once, handlers that heed their signal can still leave in good order within this. */
const LAST_MOMENT_MS = 100;

const handedBack: Outcome = { kind: "handed-back" };

/** A job from its hand-over until its place is free again. */
interface InProcessJob {
  readonly lease: LeaseRef;
  readonly executionTimeoutMs: number;
  readonly lines: string[];
  invocation: JobInvocation | undefined;
  /** Settles when its handler has stopped. */
  stopped: Promise<void>;
  /** Its outcome is decided, though its handler may still run. */
  isEnding: boolean;
  /** For its deadline, and then for its grace. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * The life of a job here: running → ended by itself. Or, when its deadline passes or its lease is revoked first: its
 * outcome is decided at once, its handler is asked to stop, and if it has not stopped after a grace, it is abandoned.
 */
export class InProcessIsolate implements JobIsolate {
  readonly pid = undefined;
  readonly standbyPid = undefined;
  readonly #options: InProcessIsolateOptions;
  readonly #mask: SecretMask;
  readonly #events: JobIsolateEvents;
  readonly #log: JobLog;
  readonly #jobs = new Map<string, InProcessJob>();
  readonly #unwanted = new AbortController();
  #life: HandlerLife | undefined;
  #beginning: Promise<void> = Promise.resolve();
  #isRefreshing = false;
  #isStopped = false;
  readonly #killed = Promise.withResolvers<void>();
  #gone: Promise<void> | undefined;

  constructor(options: InProcessIsolateOptions, mask: SecretMask, events: JobIsolateEvents) {
    this.#options = options;
    this.#mask = mask;
    this.#events = events;
    this.#log = openLog({ log: (...entry) => this.#write(undefined, ...entry) });
  }

  start(): void {
    this.#beginning = this.#begin();
  }

  /** It has its handler from the start. */
  load(): void {}

  /** A function cannot be loaded once more. */
  reload(): void {
    const message = "A handler that is a function of this process cannot be reloaded.";
    this.#events.reloadFailed({ type: "handler_error", message });
    if (this.#life === undefined) return;
    this.#events.ready(this.#life.concurrency.current);
    this.#events.placesChanged();
  }

  get openJobs(): number {
    return [...this.#jobs.values()].filter((job) => !job.isEnding).length;
  }

  get openPlaces(): number {
    if (this.#life === undefined || this.#isRefreshing || this.#isStopped) return 0;
    return Math.max(0, this.#life.concurrency.current - this.#jobs.size);
  }

  run(handed: HandedJob): void {
    const life = this.#life;
    // There may be fewer places than when it was asked for.
    if (life === undefined || this.openPlaces === 0) {
      this.#events.outcome(handed, handedBack);
      return this.#events.placesChanged();
    }
    const { jobId, leaseToken, executionTimeoutMs } = handed;
    const job: InProcessJob = {
      lease: { jobId, leaseToken },
      executionTimeoutMs,
      lines: [],
      invocation: undefined,
      stopped: Promise.resolve(),
      isEnding: false,
      timer: setTimeout(() => this.#late(job), executionTimeoutMs),
    };
    this.#jobs.set(leaseKey(handed), job);
    job.stopped = this.#invoke(life, job, handed);
  }

  revoke(lease: LeaseRef): void {
    const job = this.#jobs.get(leaseKey(lease));
    if (job !== undefined) this.#end(job, undefined);
  }

  chunksStored(lease: LeaseRef, nextIndex: number): void {
    this.#jobs.get(leaseKey(lease))?.invocation?.window.stored(nextIndex);
  }

  /** Hands back all jobs that are not done. Resolves when they have stopped or are abandoned, and dispose is done. */
  stop(): Promise<void> {
    this.#gone ??= this.#leave();
    return this.#gone;
  }

  killNow(): void {
    this.#killed.resolve();
    void this.stop();
  }

  async #begin(): Promise<void> {
    const { handler, volumePath, initLimitMs } = this.#options;
    try {
      const life = await beginInTime(
        { handler, log: this.#log, volumePath, initLimitMs },
        this.#unwanted.signal,
      );
      if (this.#isStopped) return await life.dispose();
      this.#life = life;
      this.#events.ready(life.concurrency.current);
      this.#events.placesChanged();
    } catch (thrown) {
      const failure = this.#mask.words(describeThrown(thrown));
      if (!this.#isStopped) this.#events.unusable({ type: "handler_error", ...failure });
    }
  }

  async #invoke(life: HandlerLife, job: InProcessJob, handed: HandedJob): Promise<void> {
    const end = await this.#endOf(life, job, handed);
    if (!job.isEnding) this.#events.outcome(job.lease, this.#outcomeOf(job, end));
    this.#close(job);
  }

  async #endOf(
    { handler, state }: HandlerLife,
    job: InProcessJob,
    handed: HandedJob,
  ): Promise<InvocationResult> {
    try {
      const read = readJob(handed);
      const port = new LocalPort(this.#options, read.s3Config, {
        chunks: (batch) => {
          if (!job.isEnding) this.#events.chunks(job.lease, batch);
        },
        progress: (value) => {
          if (!job.isEnding) this.#events.progress(job.lease, value);
        },
        log: (...entry) => this.#write(job, ...entry),
        refresh: () => (this.#isRefreshing = true),
      });
      const { executionTimeoutMs: remainingMs, traceparent } = handed;
      job.invocation = new JobInvocation(read, { remainingMs, traceparent, state }, port);
      // Whoever hands over a job does not wait for what the handler does before it first waits itself.
      await Promise.resolve();
      const end = await job.invocation.run(handler);
      await port.removeTempDir();
      return end;
    } catch (thrown) {
      const message = `The job cannot begin: ${describeThrown(thrown).message}`;
      return { kind: "failed", failure: { type: "handler_error", message }, thrown };
    }
  }

  #outcomeOf(job: InProcessJob, end: InvocationResult): Outcome {
    if (end.kind === "failed")
      return { kind: "failed", failure: this.#withLastLines(job, end.failure) };
    const output = end.output === undefined ? {} : { output: Buffer.from(end.output) };
    return { kind: "completed", ...output };
  }

  #withLastLines(job: InProcessJob, failure: Failure): Failure {
    return withLogLines(this.#mask.words(failure), [...job.lines]);
  }

  #late(job: InProcessJob): void {
    this.#end(job, timedOut(job.executionTimeoutMs, [...job.lines]));
  }

  /** The outcome is decided now; the handler gets its grace. The first cause wins. */
  #end(job: InProcessJob, outcome: Outcome | undefined): void {
    if (job.isEnding) return;
    job.isEnding = true;
    if (outcome !== undefined) this.#events.outcome(job.lease, outcome);
    clearTimeout(job.timer);
    job.invocation?.abort();
    job.timer = setTimeout(() => this.#abandon(job), this.#options.graceMs);
  }

  #abandon(job: InProcessJob): void {
    const message = "The job did not stop when it was told to: it is abandoned and may still run.";
    this.#write(job, "warn", message, undefined);
    this.#close(job);
  }

  /** Its place is free again. */
  #close(job: InProcessJob): void {
    clearTimeout(job.timer);
    if (!this.#jobs.delete(leaseKey(job.lease))) return;
    if (this.#isRefreshing && this.#jobs.size === 0) this.#refresh();
    void this.#life?.concurrency.ask((concurrency) => {
      this.#events.ready(concurrency);
      this.#events.placesChanged();
    });
    this.#events.placesChanged();
  }

  /** As in a fresh process, but for what the handler's module keeps. */
  #refresh(): void {
    const life = this.#life;
    if (this.#isStopped || life === undefined) return;
    this.#life = undefined;
    this.#isRefreshing = false;
    this.#beginning = life.dispose().then(() => this.#begin());
  }

  async #leave(): Promise<void> {
    this.#isStopped = true;
    this.#unwanted.abort();
    for (const job of this.#jobs.values()) this.#end(job, handedBack);
    const stopped = Promise.all([...this.#jobs.values()].map((job) => job.stopped));
    const hasStopped = await this.#inTime(Promise.all([this.#beginning, stopped]));
    for (const job of this.#jobs.values()) this.#abandon(job);
    // What a job still works with is not taken away from under it.
    if (hasStopped && this.#life !== undefined) await this.#inTime(this.#life.dispose());
  }

  /** Whether `work` was done within the grace, or the last moment before all is ended at once. */
  async #inTime(work: Promise<unknown>): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<false>();
    const timer = setTimeout(() => resolve(false), this.#options.graceMs);
    let lastMoment: NodeJS.Timeout | undefined;
    void this.#killed.promise.then(() => {
      lastMoment = setTimeout(() => resolve(false), LAST_MOMENT_MS);
    });
    const done = await Promise.race([work.then(() => true as const), late]);
    clearTimeout(timer);
    clearTimeout(lastMoment);
    return done;
  }

  #write(
    job: InProcessJob | undefined,
    level: LogLevel,
    message: string,
    fields: LogFields | undefined,
  ): void {
    const entry = { level, message, ...(fields === undefined ? {} : { fields }) };
    const tagged = logLine(job?.lease.jobId, entry, LIMITS.logLineMaxBytes);
    const line = this.#mask.line(parseLine(tagged.trimEnd()));
    job?.lines.push(line.text);
    if (job !== undefined && job.lines.length > LIMITS.lastLogLines) job.lines.shift();
    this.#events.line({ ...line, stream: "stderr" });
  }
}
