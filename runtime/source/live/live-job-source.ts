/** The job source of the live dialect: it polls the queue for jobs over HTTP, and posts reports on them. */
import type { ChunkBatch } from "../../protocol/chunk-batch.ts";
import type { Failure } from "../../protocol/failure.ts";
import { LIMITS } from "../../protocol/limits.ts";
import type { HandedJob, LeaseRef, Outcome, RevocationReason } from "../../protocol/outcome.ts";
import type { Welcome } from "../../protocol/session.ts";
import { RefusedError, type JobSource, type JobSourceListener } from "../job-source.ts";
import { answerText, type LiveAnswer, LiveHttp } from "./http.ts";
import { JobReports, type ReportsOptions } from "./job-reports.ts";
import type { WorkerLog } from "../../protocol/worker-log.ts";
import { LIVE_TIMES, type LiveTimes } from "./live-times.ts";
import { pollForever } from "./long-poll.ts";
import { PendingReports } from "./pending-reports.ts";
import { type PingOptions, pingForever, pingUnhealthy } from "./ping.ts";
import type { LiveSettings } from "./settings.ts";
import { readJobsToStop, readTakenJobs, type TakenJob } from "./taken-jobs.ts";

export interface LiveJobSourceOptions {
  readonly settings: LiveSettings;
  readonly runtimeVersion: string;
  readonly log: WorkerLog;
  /** Default `LIVE_TIMES`. */
  readonly times?: Partial<LiveTimes>;
}

/**
 * Number of refusals in a row after which the source gives up. A single one may come from a gateway that lost its queue for a
 * moment.
 */
const LAST_DENIAL = 3;

/**
 * Keeps one poll for jobs open while there is credit, and always one poll for jobs to stop. Its pings name the jobs from their
 * hand-over until the queue has their results. The queue has no leases. Each hand-over has a lease here, so that a late report
 * on a job cannot count for its next hand-over.
 */
export class LiveJobSource implements JobSource {
  readonly #settings: LiveSettings;
  readonly #times: LiveTimes;
  readonly #log: WorkerLog;
  readonly #http: LiveHttp;
  readonly #reporting: ReportsOptions;
  readonly #pinging: PingOptions;
  readonly #pending = new PendingReports();
  readonly #held = new Map<string, JobReports>();
  /** Jobs beyond the requested number, and restarted jobs, until there is credit for them. */
  readonly #surplus: HandedJob[] = [];
  /** True: no further job is wanted. */
  readonly #leaving = new AbortController();
  readonly #closed = new AbortController();
  #listener: JobSourceListener | undefined;
  #credit = 0;
  #granted = Promise.withResolvers<void>();
  #handOvers = 0;

  constructor({ settings, runtimeVersion, log, times }: LiveJobSourceOptions) {
    this.#settings = settings;
    this.#log = log;
    this.#times = { ...LIVE_TIMES, ...times };
    const { addresses, workerId, hostname, key } = settings;
    const version = `sv-runtime/${runtimeVersion}`;
    this.#http = new LiveHttp({ key, userAgent: version });
    const shared = { http: this.#http, addresses, log };
    this.#reporting = {
      ...shared,
      reporter: { workerId, hostname, version },
      times: this.#times,
      pending: this.#pending,
      chunksStored: (lease, nextIndex) => this.#listener?.chunksStored(lease, nextIndex),
    };
    this.#pinging = {
      ...shared,
      version,
      intervalMs: settings.pingIntervalMs,
      signal: this.#closed.signal,
      heldJobs: () => [...this.#held.keys()],
    };
  }

  /** The queue has no greeting: the terms are known, and a refusal comes with the first poll. */
  connect(listener: JobSourceListener): Promise<Welcome> {
    this.#listener = listener;
    if (this.#closed.signal.aborted) {
      return Promise.reject(new RefusedError("The source was closed."));
    }
    void this.#askForJobs();
    void this.#askForStops();
    void pingForever(this.#pinging);
    const { workerId, endpointId, pingIntervalMs } = this.#settings;
    return Promise.resolve({
      workerId,
      endpointId,
      leaseMs: LIMITS.leaseMs,
      leaseRenewalMs: pingIntervalMs,
    });
  }

  /** Each poll tells the queue the number of wanted jobs. */
  ready(): void {}

  /** The live protocol has no message for schemas. */
  describe(): void {}

  initFailed({ message }: Failure): Promise<void> {
    return pingUnhealthy(this.#pinging, message);
  }

  grant(count: number): void {
    if (this.#leaving.signal.aborted) return;
    this.#credit += count;
    this.#handOver();
    if (this.#credit === 0) return;
    this.#granted.resolve();
    this.#granted = Promise.withResolvers();
  }

  chunks(lease: LeaseRef, batch: ChunkBatch): void {
    this.#reportsOf(lease)?.chunks(batch);
  }

  progress(lease: LeaseRef, value: Uint8Array): void {
    this.#reportsOf(lease)?.progress(value);
  }

  /** The live protocol has no message for it. */
  paused(): void {}

  async finish(lease: LeaseRef, outcome: Outcome): Promise<{ readonly accepted: boolean }> {
    const reports = this.#reportsOf(lease);
    if (reports?.isRunning !== true) return { accepted: false };
    if (outcome.kind === "handed-back" && this.#keeps(reports)) return { accepted: true };
    const accepted = await reports.finish(outcome);
    if (this.#held.get(lease.jobId) === reports) this.#held.delete(lease.jobId);
    return { accepted };
  }

  /** Aborts a poll, unless its answer has begun. The jobs of that answer are handed over as usual. */
  draining(): void {
    this.#credit = 0;
    for (const { jobId } of this.#surplus.splice(0)) this.#held.delete(jobId);
    this.#leaving.abort();
    this.#granted.resolve();
  }

  async close(): Promise<void> {
    this.draining();
    this.#closed.abort();
    for (const reports of this.#held.values()) reports.drop();
    this.#held.clear();
    await this.#http.close();
  }

  async #askForJobs(): Promise<void> {
    const { addresses } = this.#settings;
    if (!addresses.hasBatches) {
      this.#log.write(
        "warn",
        "the address for jobs does not contain /job-take/: jobs are taken one at a time, and none can be stopped",
      );
    }
    await pollForever({
      what: "jobs",
      times: this.#times,
      log: this.#log,
      signal: this.#leaving.signal,
      mayAsk: () => this.#mayAsk(),
      ask: () => {
        const url = addresses.take(this.#credit, this.#held.size > 0);
        return this.#http.get(url, this.#times.pollLimitMs, this.#leaving.signal);
      },
      answered: (answer) => this.#take(answer),
      denied: (answer, times) => this.#denied(answer, times),
    });
  }

  async #mayAsk(): Promise<void> {
    const { signal } = this.#leaving;
    do {
      while (this.#credit === 0 && !signal.aborted) await this.#granted.promise;
      await this.#pending.few();
    } while (this.#credit === 0 && !signal.aborted);
  }

  /** Returns whether there was a new job. */
  #take({ contentType, body }: LiveAnswer): boolean {
    if (this.#closed.signal.aborted) return false;
    const { jobs, problems } = readTakenJobs(contentType, body);
    for (const problem of problems) this.#log.write("error", problem);
    let isNew = false;
    for (const job of jobs) isNew = this.#hold(job) || isNew;
    if (this.#leaving.signal.aborted) this.#credit = this.#surplus.length;
    this.#handOver();
    return isNew;
  }

  #hold({ jobId, executionTimeoutMs, ...job }: TakenJob): boolean {
    const held = this.#held.get(jobId);
    if (held !== undefined) {
      this.#log.write("warn", "the queue sent a job that this worker already has", { jobId });
      if (!held.hasStreamed) return false;
      // The stream of the job begins anew, without earlier reports.
      this.#revoke(held, "lease-lost");
    }
    this.#begin({
      ...job,
      jobId,
      // The queue does not report the number of the attempt.
      attempt: 1,
      executionTimeoutMs: executionTimeoutMs ?? this.#settings.executionTimeoutMs,
    });
    return true;
  }

  /** Keeps a job that the worker cannot run now, because the queue accepts no return and would count the attempt. */
  #keeps(reports: JobReports): boolean {
    if (reports.hasStreamed || this.#leaving.signal.aborted) return false;
    reports.drop();
    this.#begin(reports.job);
    this.#handOver();
    return true;
  }

  #begin(job: Omit<HandedJob, "leaseToken">): void {
    this.#handOvers += 1;
    const handed = { ...job, leaseToken: String(this.#handOvers) };
    this.#held.set(job.jobId, new JobReports(handed, this.#reporting));
    this.#surplus.push(handed);
  }

  #handOver(): void {
    while (this.#credit > 0) {
      const job = this.#surplus.shift();
      if (job === undefined) return;
      this.#credit -= 1;
      this.#listener?.job(job);
    }
  }

  #denied(answer: LiveAnswer, times: number): boolean {
    // The queue may still accept results of its jobs.
    if (times < LAST_DENIAL || this.#held.size > 0) return true;
    const reason = `the queue gives it no jobs: ${answerText(answer)}`;
    void this.close().then(() => this.#listener?.refused(reason));
    return false;
  }

  async #askForStops(): Promise<void> {
    const { stop } = this.#settings.addresses;
    if (stop === undefined) return;
    await pollForever({
      what: "jobs to be stopped",
      times: this.#times,
      log: this.#log,
      signal: this.#closed.signal,
      ask: () => this.#http.get(stop, this.#times.pollLimitMs, this.#closed.signal),
      answered: (answer) => this.#stop(answer),
      denied: ({ status }, times) => {
        if (status !== 404 || times < LAST_DENIAL) return true;
        this.#log.write("info", "the queue does not report the jobs to stop: they run on");
        return false;
      },
    });
  }

  /** Returns whether the worker had one of them. */
  #stop({ contentType, body }: LiveAnswer): boolean {
    let isHeld = false;
    for (const jobId of readJobsToStop(contentType, body)) {
      const reports = this.#held.get(jobId);
      if (reports === undefined) continue;
      isHeld = true;
      this.#held.delete(jobId);
      this.#revoke(reports, "cancelled");
    }
    return isHeld;
  }

  #revoke(reports: JobReports, reason: RevocationReason): void {
    const { lease, isRunning } = reports;
    reports.drop();
    const waits = this.#surplus.findIndex(({ leaseToken }) => leaseToken === lease.leaseToken);
    if (waits !== -1) this.#surplus.splice(waits, 1);
    else if (isRunning) this.#listener?.revoked({ ...lease, reason });
  }

  #reportsOf({ jobId, leaseToken }: LeaseRef): JobReports | undefined {
    const reports = this.#held.get(jobId);
    return reports?.lease.leaseToken === leaseToken ? reports : undefined;
  }
}
