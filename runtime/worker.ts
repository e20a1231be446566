/** The worker: connects a source of jobs with the process that runs the handler, from the first job to the last. */
import { describeThrown } from "./handler/thrown.ts";
import { handlerProcesses, type HandlerProcessesOptions } from "./handler-processes.ts";
import type { JobIsolate, OpenIsolate } from "./isolate/job-isolate.ts";
import type { OutputLine } from "./isolate/handler-output.ts";
import { SecretMask } from "./isolate/secret-mask.ts";
import { prepareHandler } from "./load/prepare-handler.ts";
import { WORKER_ENV } from "./protocol/environment/worker-env.ts";
import type { WorkerLog } from "./protocol/worker-log.ts";
import type { Failure } from "./protocol/failure.ts";
import type { Reload } from "./protocol/session.ts";
import type { HandedJob, LeaseRef, Outcome } from "./protocol/outcome.ts";
import type { JobSource } from "./source/job-source.ts";
import { PendingReceipts } from "./source/pending-receipts.ts";

export interface WorkerOptions extends HandlerProcessesOptions {
  /** The handler's file or directory, or a module made by `prepareHandler`. A promise: nothing is loaded before it settles. */
  readonly handler: string | Promise<LaterHandler>;
  /** Makes the source of jobs. Called while the handler process is starting. */
  readonly openSource: () => JobSource | Promise<JobSource>;
  /** Timeout of running jobs after `drain`, before they are handed back; ms, default 30,000 (ours). */
  readonly drainLimitMs?: number;
  /** Timeout at the end for the service's receipts while nothing is on its way to the service, ms; default 5,000. */
  readonly receiptLimitMs?: number;
  /** Runs the jobs in place of handler processes. It has its handler, so none is loaded. */
  readonly openIsolate?: OpenIsolate;
}

/** The handler of a worker that starts before it is known. */
export interface LaterHandler {
  readonly path: string;
  /** Variables for the handler process, which has started without them. */
  readonly env: Readonly<Record<string, string>>;
}

/** Why a worker is done. */
export type WorkerEnd = "drained" | "stopped" | "handler-unusable" | "refused";

export interface Worker {
  /** Settles when the handler process has ended and the source is closed. Never rejects. */
  readonly ended: Promise<WorkerEnd>;
  /** Process id of the present handler process. */
  readonly handlerPid: number | undefined;
  /** Process id of the standby process. */
  readonly standbyPid: number | undefined;
  /** Takes no further job, finishes running jobs, and returns the others. Idempotent. */
  drain(): void;
  /** Hands back everything and ends at once. Idempotent. */
  stop(): void;
  /** Kills the handler process and its descendants. For the very end of this process. */
  killNow(): void;
}

/** Starts a worker; the handler process starts at the same time as the connection to the service. */
export function startWorker(options: WorkerOptions): Worker {
  const worker = new RunningWorker(options);
  worker.start();
  return worker;
}

class RunningWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #log: WorkerLog;
  readonly #handlers: JobIsolate;
  readonly #mask: SecretMask;
  readonly #end = Promise.withResolvers<WorkerEnd>();
  readonly #receipts = new PendingReceipts();
  #source: JobSource | undefined;
  #concurrency: number | undefined;
  /** The schemas of the handler; reported once there is a source. */
  #schemas: Uint8Array | undefined;
  /** Why the handler cannot be used; reported once there is a source. */
  #failure: Failure | undefined;
  /** Granted credit for which no job has come yet. */
  #credit = 0;
  /** The version that is being loaded. */
  #reloading: number | undefined;
  /** The newest version that was loaded, or failed to load. */
  #reloaded: number | undefined;
  #isDraining = false;
  #isEnding = false;
  #isStopped = false;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#mask = new SecretMask({ ...process.env, ...options.env });
    const openIsolate = options.openIsolate ?? handlerProcesses(options);
    this.#handlers = openIsolate(this.#mask, {
      ready: (concurrency) => this.#ready(concurrency),
      described: (schemas) => {
        this.#schemas = schemas;
        this.#source?.describe(schemas);
      },
      reloaded: () => this.#dealtWithReload("info", "the new version is ready: new jobs run it"),
      reloadFailed: ({ message, stack }) =>
        this.#dealtWithReload("error", `${message}\nThe previous version stays in service.`, {
          stack,
        }),
      unusable: (failure) => void this.#unusable(failure),
      restartFailed: (failure, retryInMs) =>
        this.#log.write("error", failure.message, { retryInMs, stack: failure.stack }),
      standbyReady: () => this.#log.write("debug", "a standby handler process is ready"),
      standbyFailed: ({ message, stack }) =>
        this.#log.write("warn", `a standby handler process ended: ${message}`, { stack }),
      outcome: this.#finish,
      chunks: (lease, batch) => this.#source?.chunks(lease, batch),
      progress: (lease, value) => this.#source?.progress(lease, value),
      paused: (pause) => this.#source?.paused(pause),
      line: (line) => this.#logLine(line),
      placesChanged: this.#placesChanged,
    });
  }

  get ended(): Promise<WorkerEnd> {
    return this.#end.promise;
  }

  get handlerPid(): number | undefined {
    return this.#handlers.pid;
  }

  get standbyPid(): number | undefined {
    return this.#handlers.standbyPid;
  }

  start(): void {
    this.#handlers.start();
    void this.#begin();
  }

  drain(): void {
    if (this.#isDraining || this.#isEnding) return;
    this.#isDraining = true;
    this.#source?.draining();
    this.#log.write("info", "draining: no further jobs are taken", {
      running: this.#handlers.openJobs,
    });
    if (this.#handlers.openJobs === 0) return void this.#finishUp("drained");
    const { drainLimitMs = 30_000 } = this.#options;
    this.#drainTimer = setTimeout(() => void this.#finishUp("drained"), drainLimitMs);
  }

  stop(): void {
    this.#isDraining = true;
    this.#isStopped = true;
    this.#handlers.killNow();
    this.#receipts.giveUp();
    void this.#finishUp("stopped");
  }

  killNow(): void {
    this.#handlers.killNow();
  }

  /** The handler is loaded first: opening the source takes time, and the handler process would wait. */
  async #begin(): Promise<void> {
    const failure = await this.#load();
    if (failure !== undefined) void this.#unusable(failure);
    try {
      const source = await this.#options.openSource();
      if (this.#isEnding) return await source.close();
      this.#source = source;
      const welcome = source.connect({
        job: this.#take,
        revoked: (revocation) => this.#handlers.revoke(revocation),
        chunksStored: (lease, nextIndex) => this.#handlers.chunksStored(lease, nextIndex),
        drain: () => this.drain(),
        reload: (reload) => this.#reload(reload),
        refused: (reason) => void this.#refused(reason),
      });
      if (this.#failure !== undefined) void this.#unusable(this.#failure);
      if (this.#concurrency !== undefined) this.#ready(this.#concurrency);
      if (this.#schemas !== undefined) source.describe(this.#schemas);
      const { workerId, endpointId } = await welcome;
      this.#log.write("info", "connected to the service", { workerId, endpointId });
    } catch (error) {
      await this.#refused(describeThrown(error).message);
    }
  }

  /** Prepares the handler's module; resolves with the failure, if there is one. */
  async #load(): Promise<Failure | undefined> {
    if (this.#options.openIsolate !== undefined) return undefined;
    try {
      const { handler } = this.#options;
      if (typeof handler === "string") this.#handlers.load(await prepareHandler(handler));
      else await this.#loadLater(await handler);
      return undefined;
    } catch (error) {
      return { type: "handler_error", ...describeThrown(error) };
    }
  }

  /** The handler gets the worker's variables, except the worker's token. */
  async #loadLater({ path, env }: LaterHandler): Promise<void> {
    this.#mask.add(env);
    const { [WORKER_ENV.workerToken]: _, ...handlerEnv } = env;
    this.#handlers.load({ ...(await prepareHandler(path)), env: handlerEnv });
  }

  #ready(concurrency: number): void {
    if (this.#concurrency === undefined) {
      this.#log.write("info", "the handler is ready", { concurrency });
    }
    this.#concurrency = concurrency;
    this.#source?.ready(concurrency, this.#reloaded);
    this.#grant();
  }

  /** Reloads the handler. An order may come again in a new session if its answer was lost. */
  #reload({ version, modulePath, sourcePath }: Reload): void {
    this.#credit = 0;
    if (this.#isDraining || version === this.#reloading) return;
    const isKnown = version <= (this.#reloaded ?? 0);
    if (isKnown && this.#concurrency !== undefined) return this.#ready(this.#concurrency);
    this.#reloading = version;
    this.#handlers.reload({ modulePath, sourcePath });
  }

  #dealtWithReload(level: "info" | "error", message: string, fields: object = {}): void {
    this.#reloaded = this.#reloading;
    this.#reloading = undefined;
    this.#log.write(level, message, { version: this.#reloaded, ...fields });
  }

  readonly #take = (job: HandedJob): void => {
    this.#credit = Math.max(0, this.#credit - 1);
    if (job.s3Config !== undefined) this.#mask.learn(job.s3Config);
    if (this.#isDraining) this.#finish(job, { kind: "handed-back" });
    else this.#handlers.run(job);
  };

  #grant(): void {
    if (this.#isDraining || this.#source === undefined) return;
    const count = this.#handlers.openPlaces - this.#credit;
    if (count <= 0) return;
    this.#credit += count;
    this.#source.grant(count);
  }

  readonly #placesChanged = (): void => {
    this.#grant();
    if (this.#isDraining && this.#handlers.openJobs === 0) void this.#finishUp("drained");
  };

  readonly #finish = (lease: LeaseRef, outcome: Outcome): void => {
    this.#receipts.add(this.#source?.finish(lease, outcome));
  };

  async #finishUp(end: WorkerEnd): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearTimeout(this.#drainTimer);
    await this.#handlers.stop();
    const { receiptLimitMs = 5_000 } = this.#options;
    if (end === "drained" && !this.#isStopped)
      await this.#receipts.all(receiptLimitMs, () => this.#source?.confirmed ?? 0);
    await this.#source?.close();
    const actual = this.#isStopped ? "stopped" : end;
    this.#log.write("info", `the worker has ended: ${actual}`);
    this.#end.resolve(actual);
  }

  async #unusable(failure: Failure): Promise<void> {
    if (this.#isEnding) return;
    if (this.#failure === undefined) {
      const { type: _, message, ...more } = failure;
      this.#log.write("error", message, more);
      this.#failure = failure;
    }
    if (this.#source === undefined) return;
    const { receiptLimitMs = 5_000 } = this.#options;
    const report = this.#source.initFailed(failure);
    const limit = new Promise((resolve) => {
      setTimeout(resolve, receiptLimitMs).unref();
    });
    await Promise.race([report, limit]);
    await this.#finishUp("handler-unusable");
  }

  async #refused(reason: string): Promise<void> {
    if (this.#isEnding) return;
    this.#log.write("error", `the service refused this worker: ${reason}`);
    await this.#finishUp("refused");
  }

  #logLine({ level = "info", text, ...fields }: OutputLine): void {
    this.#log.write(level, text, fields);
  }
}
