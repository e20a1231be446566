/** The operations on one endpoint and its jobs, one method each. */
import type { RawChunk } from "../protocol/chunk.ts";
import type { StreamChunk } from "./stream/chunk-joiner.ts";
import { WaitTimeoutError } from "./errors/errors.ts";
import { readHealth, readPurgeResult, type EndpointHealth, type PurgeResult } from "./health.ts";
import { completedOrThrow } from "./errors/job-error.ts";
import { readJob, type CompletedJob, type Job, type JobState } from "./job.ts";
import { streamJoined, streamRaw, type JobStream, type StreamOptions } from "./stream/stream.ts";
import { submissionBody, type SubmitOptions } from "./submission.ts";
import type { Call, Transport } from "./transport.ts";
import { heldMs, waitForJob, type WaitOptions } from "./wait.ts";

/** Options of every call. `signal` aborts the call, but not work that the service has begun. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface StatusOptions extends CallOptions {
  /** Deletes the job this long after the call, ms: 1 to 7 days. Default: leaves its expiry as it is. */
  readonly ttlMs?: number | undefined;
}

export interface RunSyncOptions extends SubmitOptions {
  /** Maximum time for which the service holds the first answer, ms: 1,000 to 300,000; default 90,000. */
  readonly waitMs?: number | undefined;
  /**
   * Timeout of the call, ms; default: none. The job goes on. It is accurate to one second: the service waits for at least one
   * second, and an aborted submission would lose the job's id.
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * One endpoint. The type parameters are the handler's types and are not checked at run time. Every method throws a
 * `ServiceError` (or the subclass for its status) when the service refuses, a `ConnectionError` when it does not answer, an
 * `InvalidResponseError` when the answer does not match the job interface, and the signal's reason when it is aborted. All are
 * retried on 429, GETs also on 502 to 504 and broken connections.
 */
export class EndpointClient<Input = unknown, Output = unknown, Chunk = unknown> {
  readonly id: string;
  readonly #transport: Transport;

  /** Made by `Client.endpoint`. */
  constructor(transport: Transport, id: string) {
    this.#transport = transport;
    this.id = id;
  }

  /** Submits a job and returns at once. Repeated on 429 only: after a ConnectionError see `mayHaveBeenSent`. */
  async run(input: Input, options: SubmitOptions = {}): Promise<JobState> {
    const body = submissionBody(input, options);
    const { signal, traceparent } = options;
    return readJob(await this.#post("/run", { body, signal, traceparent }));
  }

  /**
   * Submits a job and waits for its end. The service waits for up to `waitMs` before it answers. After that the client polls
   * until the job has ended, `timeoutMs` have passed or the signal aborts. Neither timeout nor abort cancels the job.
   *
   * @throws JobFailedError, JobTimedOutError, JobCancelledError when the job ends in another status than COMPLETED
   * @throws WaitTimeoutError when `timeoutMs` have passed
   */
  async runSync(input: Input, options: RunSyncOptions = {}): Promise<CompletedJob<Output>> {
    const { timeoutMs, signal, traceparent } = options;
    const { clock } = this.#transport.settings;
    const startedAt = clock.now();
    const wait = heldMs(timeoutMs, 0, options.waitMs);
    const body = submissionBody(input, options);
    const patienceMs = timeoutMs === undefined ? undefined : Math.max(0, timeoutMs - wait);
    const call = { body, query: { wait }, heldMs: wait, patienceMs, signal, traceparent };
    const answer = await this.#post("/runsync", call);
    const job = readJob<Output>(answer);
    const completed = completedOrThrow(job);
    if (completed !== undefined) return completed;
    const leftMs = timeoutMs === undefined ? undefined : timeoutMs - (clock.now() - startedAt);
    if (timeoutMs !== undefined && leftMs !== undefined && leftMs <= 0) {
      throw new WaitTimeoutError(job.id, timeoutMs, job.status);
    }
    return this.#wait(job, { timeoutMs: leftMs, signal });
  }

  /** The present state of the job. Also returns a job that has failed, instead of throwing. */
  async status(jobId: string, options: StatusOptions = {}): Promise<Job<Output>> {
    const { ttlMs: ttl, signal } = options;
    const path = this.#jobPath("status", jobId);
    return readJob(await this.#transport.json({ method: "GET", path, query: { ttl }, signal }));
  }

  /**
   * Waits for the job's end.
   *
   * @throws JobFailedError, JobTimedOutError, JobCancelledError when the job ends in another status than COMPLETED
   * @throws WaitTimeoutError when `timeoutMs` have passed
   */
  async wait(jobId: string, options: WaitOptions = {}): Promise<CompletedJob<Output>> {
    return this.#wait({ id: jobId }, options);
  }

  /**
   * Yields the handler's yields as they arrive, with split yields joined again. Reconnects after a broken connection, without
   * gaps. Ends when the job is COMPLETED, with the job as return value. Leaving the loop earlier closes the connection.
   *
   * @throws JobFailedError, JobTimedOutError, JobCancelledError when the job ends in another status than COMPLETED
   * @throws StreamRestartedError when the job was started again and `onRestart` is not given
   */
  stream(
    jobId: string,
    options?: StreamOptions & { readonly raw?: false },
  ): JobStream<StreamChunk<Chunk>, Output>;
  /** With `raw`, yields the chunks as the service sends them: the parts of a split yield are not joined (see `joinChunks`). */
  stream(
    jobId: string,
    options: StreamOptions & { readonly raw: true },
  ): JobStream<RawChunk, Output>;
  stream(
    jobId: string,
    options: StreamOptions & { readonly raw?: boolean } = {},
  ): JobStream<StreamChunk<Chunk>, Output> | JobStream<RawChunk, Output> {
    const target = { transport: this.#transport, jobId, path: this.#jobPath("stream", jobId) };
    return options.raw === true
      ? streamRaw<Output>(target, options)
      : streamJoined<Chunk, Output>(target, options);
  }

  /** Ends the job, whether it waits or runs. A job that has ended is refused with `job_already_finished`. */
  async cancel(jobId: string, options: CallOptions = {}): Promise<JobState> {
    return readJob(await this.#post(this.#operation("cancel", jobId), options));
  }

  /**
   * Queues a FAILED or TIMED_OUT job again, with its id and input. The service refuses any other job with `job_not_retryable`.
   */
  async retry(jobId: string, options: CallOptions = {}): Promise<JobState> {
    return readJob(await this.#post(this.#operation("retry", jobId), options));
  }

  /** Deletes the jobs that wait in the queue; running ones are not touched. */
  async purgeQueue(options: CallOptions = {}): Promise<PurgeResult> {
    return readPurgeResult(await this.#post("/purge-queue", options));
  }

  /** Number of jobs and workers of the endpoint in each state. */
  async health(options: CallOptions = {}): Promise<EndpointHealth> {
    const path = this.#path("/health");
    return readHealth(await this.#transport.json({ method: "GET", path, signal: options.signal }));
  }

  #wait(job: JobState | { id: string }, options: WaitOptions): Promise<CompletedJob<Output>> {
    return waitForJob(this.#transport, this.#jobPath("status-sync", job.id), job, options);
  }

  #post(operation: string, call: Omit<Call, "method" | "path">): Promise<unknown> {
    return this.#transport.json({ ...call, method: "POST", path: this.#path(operation) });
  }

  #path(operation: string): string {
    return `/v2/${encodeURIComponent(this.id)}${operation}`;
  }

  #operation(operation: string, jobId: string): string {
    return `/${operation}/${encodeURIComponent(jobId)}`;
  }

  #jobPath(operation: string, jobId: string): string {
    return this.#path(this.#operation(operation, jobId));
  }
}
