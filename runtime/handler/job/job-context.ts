/** The context of one invocation: its abort signal, its clock, its log, its progress. */
import { Buffer } from "node:buffer";
import { performance } from "node:perf_hooks";
import { inspect } from "node:util";
import type { LogLevel } from "../../protocol/worker-log.ts";
import { LIMITS } from "../../protocol/limits.ts";
import { JobTransfers } from "../../storage/job-transfers.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { Context, Job, JobLog, LogFields } from "../contract.ts";
import { InvalidOutputError, toJson } from "../output/output.ts";

/** Implementations of the members of a context, except progress. */
export interface ContextPort {
  readonly volumePath: string | undefined;
  /** Called when the job asks for a new process. */
  refresh(): void;
  /** Makes the job's own directory; called once at most. */
  makeTempDir(): string;
  /** Opens the job's object storage; called when the job first needs it. */
  openStore(): Promise<ObjectStore>;
  log(level: LogLevel, message: string, fields?: LogFields): void;
}

/** Arguments of one invocation besides its job. */
export interface JobTerms {
  readonly remainingMs: number;
  readonly traceparent?: string | undefined;
  /** The result of `setup`. */
  readonly state: unknown;
  /** The clock of the deadline, ms; default this process's own. */
  readonly now?: () => number;
}

const ownNow = performance.now.bind(performance);

/** The context of one invocation. After its end, progress does nothing. */
export class JobContext implements Context {
  readonly state: unknown;
  readonly traceparent: string | undefined;
  readonly #port: ContextPort;
  readonly #progress: (json: Buffer) => void;
  readonly #now: () => number;
  readonly #dueAt: number;
  /** Made on first use: most handlers never look at the signal. */
  #controller: AbortController | undefined;
  #abortReason: Error | undefined;
  #log: JobLog | undefined;
  #job: Job;
  #tempDir: string | undefined;
  #transfers: JobTransfers | undefined;
  #ended = false;

  constructor(job: Job, terms: JobTerms, port: ContextPort, progress: (json: Buffer) => void) {
    const { remainingMs, traceparent, state, now = ownNow } = terms;
    this.#job = job;
    this.state = state;
    this.traceparent = traceparent;
    this.#port = port;
    this.#progress = progress;
    this.#now = now;
    this.#dueAt = now() + remainingMs;
  }

  get job(): Job {
    return this.#job;
  }

  get log(): JobLog {
    this.#log ??= openLog(this.#port);
    return this.#log;
  }

  get attempt(): number {
    return this.#job.attempt;
  }

  get deadline(): number {
    return Math.max(0, this.#dueAt - this.#now());
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  get tempDir(): string {
    if (this.#tempDir === undefined && this.#ended) {
      throw new Error("The job has ended, so it cannot get a directory any more.");
    }
    this.#tempDir ??= this.#port.makeTempDir();
    return this.#tempDir;
  }

  get volumePath(): string | undefined {
    return this.#port.volumePath;
  }

  get upload(): Context["upload"] {
    return this.#files.upload;
  }

  get uploadDir(): Context["uploadDir"] {
    return this.#files.uploadDir;
  }

  get download(): Context["download"] {
    return this.#files.download;
  }

  /** `refresh` and `progress` are properties, so that a handler may destructure its context. */
  readonly refresh = (): void => {
    if (!this.#ended) this.#port.refresh();
  };

  readonly progress = (value: unknown): void => {
    if (this.#ended) return;
    const json = progressJson(value);
    if (json.byteLength > LIMITS.progressMaxBytes) {
      throw new RangeError(
        `The progress value is ${json.byteLength} bytes of JSON; at most ${LIMITS.progressMaxBytes} are accepted.`,
      );
    }
    this.#progress(json);
  };

  get isAborted(): boolean {
    return this.#abortReason !== undefined;
  }

  abort(): void {
    if (this.#abortReason !== undefined) return;
    this.#abortReason = new DOMException("The job was stopped.", "AbortError");
    this.#controller?.abort(this.#abortReason);
  }

  /** Replaces the input by the schema's result, before the handler runs. */
  replaceInput(input: unknown): void {
    this.#job = { ...this.#job, input };
  }

  /** Settles when the transfers that the handler did not wait for are done. Undefined if there are none. */
  openTransfers(): Promise<void> | undefined {
    return this.#transfers?.isBusy === true ? this.#transfers.settled() : undefined;
  }

  end(): void {
    this.#ended = true;
    this.#transfers?.end();
  }

  /** Made on first use: most handlers move no files. */
  get #files(): JobTransfers {
    if (this.#transfers !== undefined) return this.#transfers;
    this.#transfers = new JobTransfers({
      openStore: () => this.#port.openStore(),
      signal: () => this.signal,
      tempDir: () => this.tempDir,
    });
    if (this.#ended) this.#transfers.end();
    return this.#transfers;
  }
}

function progressJson(value: unknown): Buffer {
  try {
    return Buffer.from(toJson(value, "The progress value") ?? "null");
  } catch (error) {
    if (error instanceof InvalidOutputError) throw new TypeError(error.message, { cause: error });
    throw error;
  }
}

/** A log whose methods can be destructured, as in `const { info } = log`. */
export function openLog(port: Pick<ContextPort, "log">): JobLog {
  const at =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void =>
      port.log(level, typeof message === "string" ? message : inspect(message), fields);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
