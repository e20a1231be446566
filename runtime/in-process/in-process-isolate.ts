/**
 * Runs a handler's jobs in this very process, so that the closures, mocks and coverage of a test reach the handler. It cannot
 * be ended from outside: a handler that does not stop is abandoned.
 */
import type { JobLog, LogFields } from "../handler/contract.ts";
import type { HandlerLife } from "../handler/handler-life.ts";
import { JobInvocation, readJob } from "../handler/job/invocation.ts";
import type { InvocationResult } from "../handler/job/invoke.ts";
import { openLog } from "../handler/job/job-context.ts";
import { schemasOf } from "../handler/module/json-schemas.ts";
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
  /** Time that a job has after the order to stop before it is abandoned, ms. */
  readonly graceMs: number;
  /** Timeout of `setup`, ms. */
  readonly initLimitMs: number;
}

/** Timeout of handlers after a kill: enough for handlers that obey their signal. */
const KILL_GRACE_MS = 100;

const handedBack: Outcome = { kind: "handed-back" };
const revokedEnd: Outcome = { kind: "stopped" };

/** The state of a job from its hand-over until its place is free again. */
interface InProcessJob {
  readonly lease: LeaseRef;
  readonly executionTimeoutMs: number;
  readonly lines: string[];
  invocation: JobInvocation | undefined;
  /** Resolves when its handler has stopped. */
  stopped: Promise<void>;
  /** True after the order to stop: later reports of its handler are dropped. */
  isStopping: boolean;
  /** True after its lease was revoked. */
  isRevoked: boolean;
  /** Fires at the job's deadline; after the order to stop, at the end of its grace. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * A job ends by itself, unless its deadline passes or its lease is revoked first. In that case its handler is told to stop,
 * later reports of the handler are dropped, and after its grace the handler is abandoned.
 */
export class InProcessIsolate implements JobIsolate {
  readonly pid = undefined;
  readonly standbyPid = undefined;
  readonly #options: InProcessIsolateOptions;
  readonly #mask: SecretMask;
  readonly #events: JobIsolateEvents;
  readonly #log: JobLog;
  readonly #jobs = new Map<string, InProcessJob>();
  readonly #setupAbort = new AbortController();
  #life: HandlerLife | undefined;
  #beginning: Promise<void> = Promise.resolve();
  #isRefreshing = false;
  #isStopped = false;
  readonly #killed = Promise.withResolvers<void>();
  #stopped: Promise<void> | undefined;

  constructor(options: InProcessIsolateOptions, mask: SecretMask, events: JobIsolateEvents) {
    this.#options = options;
    this.#mask = mask;
    this.#events = events;
    this.#log = openLog({ log: (...entry) => this.#write(undefined, ...entry) });
  }

  start(): void {
    this.#beginning = this.#begin();
  }

  /** Does nothing: the handler is here from the start. */
  load(): void {}

  /** Always fails: a function cannot be reloaded. */
  reload(): void {
    const message = "A handler that is a function of this process cannot be reloaded.";
    this.#events.reloadFailed({ type: "handler_error", message });
    if (this.#life === undefined) return;
    this.#events.ready(this.#life.concurrency.current);
    this.#events.placesChanged();
  }

  get openJobs(): number {
    return [...this.#jobs.values()].filter((job) => !job.isStopping).length;
  }

  get openPlaces(): number {
    if (this.#life === undefined || this.#isRefreshing || this.#isStopped) return 0;
    return Math.max(0, this.#life.concurrency.current - this.#jobs.size);
  }

  run(handed: HandedJob): void {
    const life = this.#life;
    // There may be fewer places than at the request for the job.
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
      isStopping: false,
      isRevoked: false,
      timer: setTimeout(() => this.#timeOut(job), executionTimeoutMs).unref(),
    };
    this.#jobs.set(leaseKey(handed), job);
    job.stopped = this.#invoke(life, job, handed);
  }

  revoke(lease: LeaseRef): void {
    const job = this.#jobs.get(leaseKey(lease));
    if (job === undefined || job.isStopping) return;
    job.isRevoked = true;
    this.#tellToStop(job, undefined);
  }

  chunksStored(lease: LeaseRef, nextIndex: number): void {
    this.#jobs.get(leaseKey(lease))?.invocation?.window.stored(nextIndex);
  }

  /** Hands back all jobs that are not done. Resolves when each has stopped or is abandoned, and the handler's state is disposed of. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
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
        this.#setupAbort.signal,
      );
      if (this.#isStopped) return await life.dispose();
      this.#life = life;
      this.#events.ready(life.concurrency.current);
      this.#events.described(schemasOf(handler));
      this.#events.placesChanged();
    } catch (thrown) {
      const failure = this.#mask.words(describeThrown(thrown));
      if (!this.#isStopped) this.#events.unusable({ type: "handler_error", ...failure });
    }
  }

  async #invoke(life: HandlerLife, job: InProcessJob, handed: HandedJob): Promise<void> {
    const result = await this.#runHandler(life, job, handed);
    if (!job.isStopping) this.#events.outcome(job.lease, this.#outcomeOf(job, result));
    this.#freePlace(job);
  }

  async #runHandler(
    { handler, state }: HandlerLife,
    job: InProcessJob,
    handed: HandedJob,
  ): Promise<InvocationResult> {
    try {
      const read = readJob(handed);
      const port = new LocalPort(this.#options, read.s3Config, {
        chunks: (batch) => {
          if (!job.isStopping) this.#events.chunks(job.lease, batch);
        },
        progress: (value) => {
          if (!job.isStopping) this.#events.progress(job.lease, value);
        },
        log: (...entry) => this.#write(job, ...entry),
        refresh: () => (this.#isRefreshing = true),
      });
      const { executionTimeoutMs: remainingMs, traceparent } = handed;
      job.invocation = new JobInvocation(read, { remainingMs, traceparent, state }, port);
      // The handler begins in a later turn, because it may work long before its first `await`.
      await Promise.resolve();
      const result = await job.invocation.run(handler);
      if (port.tempDir !== undefined) await port.removeTempDir(port.tempDir);
      return result;
    } catch (thrown) {
      const message = `The job cannot begin: ${describeThrown(thrown).message}`;
      return { kind: "failed", failure: { type: "handler_error", message }, thrown };
    }
  }

  #outcomeOf(job: InProcessJob, result: InvocationResult): Outcome {
    if (result.kind === "failed")
      return { kind: "failed", failure: this.#withLastLines(job, result.failure) };
    const output = result.output === undefined ? {} : { output: Buffer.from(result.output) };
    return { kind: "completed", ...output };
  }

  #withLastLines(job: InProcessJob, failure: Failure): Failure {
    return withLogLines(this.#mask.words(failure), [...job.lines]);
  }

  #timeOut(job: InProcessJob): void {
    this.#tellToStop(job, timedOut(job.executionTimeoutMs, [...job.lines]));
  }

  /**
   * Reports the job's outcome, tells its handler to stop and gives it its grace. Only the first call for a job counts.
   *
   * @param outcome undefined for a job with a revoked lease, which is reported as stopped once its place is free
   */
  #tellToStop(job: InProcessJob, outcome: Outcome | undefined): void {
    if (job.isStopping) return;
    job.isStopping = true;
    if (outcome !== undefined) this.#events.outcome(job.lease, outcome);
    clearTimeout(job.timer);
    job.invocation?.abort();
    job.timer = setTimeout(() => this.#abandon(job), this.#options.graceMs).unref();
  }

  #abandon(job: InProcessJob): void {
    const message = "The job did not stop when told to: it is abandoned and may still run.";
    this.#write(job, "warn", message, undefined);
    this.#freePlace(job);
  }

  /** Makes room for another job. Idempotent. */
  #freePlace(job: InProcessJob): void {
    clearTimeout(job.timer);
    if (!this.#jobs.delete(leaseKey(job.lease))) return;
    if (job.isRevoked) this.#events.outcome(job.lease, revokedEnd);
    if (this.#isRefreshing && this.#jobs.size === 0) this.#refresh();
    if (typeof this.#options.handler.concurrency !== "number")
      void this.#life?.concurrency.ask((concurrency) => {
        this.#events.ready(concurrency);
        this.#events.placesChanged();
      });
    this.#events.placesChanged();
  }

  /** Runs the handler's setup again, like a fresh process; only the module's own state stays. */
  #refresh(): void {
    const life = this.#life;
    if (this.#isStopped || life === undefined) return;
    this.#life = undefined;
    this.#isRefreshing = false;
    this.#beginning = life.dispose().then(() => this.#begin());
  }

  async #stopAll(): Promise<void> {
    this.#isStopped = true;
    this.#setupAbort.abort();
    for (const job of this.#jobs.values()) this.#tellToStop(job, handedBack);
    const stopped = Promise.all([...this.#jobs.values()].map((job) => job.stopped));
    const hasStopped = await this.#withinGrace(Promise.all([this.#beginning, stopped]));
    for (const job of this.#jobs.values()) this.#abandon(job);
    // An abandoned job may still work with the handler's state, which then is not disposed of.
    if (hasStopped && this.#life !== undefined) await this.#withinGrace(this.#life.dispose());
  }

  /** Whether `work` ended within the grace, which a kill shortens. */
  async #withinGrace(work: Promise<unknown>): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<false>();
    const timer = setTimeout(() => resolve(false), this.#options.graceMs);
    let killTimer: NodeJS.Timeout | undefined;
    void this.#killed.promise.then(() => {
      killTimer = setTimeout(() => resolve(false), KILL_GRACE_MS);
    });
    const done = await Promise.race([work.then(() => true as const), late]);
    clearTimeout(timer);
    clearTimeout(killTimer);
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
