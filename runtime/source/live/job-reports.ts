/** Everything the queue is told of one job, in order: its chunks, its progress, its result. */
import { backoffMs } from "../../core/backoff.ts";
import { type ChunkBatch, chunksOf } from "../../protocol/chunk-batch.ts";
import type { HandedJob, LeaseRef, Outcome } from "../../protocol/outcome.ts";
import type { LiveAddresses } from "./addresses.ts";
import { answerText, type LiveHttp, reasonOf } from "./http.ts";
import type { LiveLog } from "./live-log.ts";
import { type LiveTimes, pause } from "./live-times.ts";
import { progressBody, refusedBody, type Reporter, resultBody } from "./result-body.ts";
import type { ResultSpool } from "./result-spool.ts";
import { type YieldBodies, WholeYields } from "./whole-yields.ts";

export interface ReportsOptions {
  readonly http: LiveHttp;
  readonly addresses: LiveAddresses;
  readonly reporter: Reporter;
  readonly times: LiveTimes;
  readonly log: LiveLog;
  readonly spool: ResultSpool;
  /** All chunks below `nextIndex` were taken. */
  readonly chunksStored: (lease: LeaseRef, nextIndex: number) => void;
}

interface WaitingChunk {
  readonly line: Uint8Array;
  readonly nextIndex: number;
}

interface Result {
  readonly body: Uint8Array;
  readonly settle: (accepted: boolean) => void;
}

/** What became of a report. */
interface Delivery {
  readonly isTaken: boolean;
  /** What the queue says of a report that it will never take. */
  readonly refusal?: string;
}

const TOO_MANY = 429;
/** One for all jobs: an error of its own for each would cost more than the rest of its end. */
const OVER = new Error("nothing more is said of the job");
/** What comes after a progress value waits for its answer, but not for ever. */
const PROGRESS_LIMIT_MS = 10_000;
/** Answers that say nothing of the report itself: of a key that was just changed, or of a gateway without its queue. */
const DOUBTFUL: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 401, 403, 404]);
/** Too late, too early, too many: the same report may be taken the next time. */
const MOMENTARY: ReadonlySet<number> = new Set([408, 425, TOO_MANY]);

/** From the hand-over of a job until its result is taken, or nothing of it counts any more. */
export class JobReports {
  /** As it was handed over, should it have to be handed over once more. */
  readonly job: HandedJob;
  readonly #options: ReportsOptions;
  readonly #gone = new AbortController();
  readonly #chunks: WaitingChunk[] = [];
  readonly #yields = new WholeYields();
  #progress: Uint8Array | undefined;
  #result: Result | undefined;
  #hasStreamed = false;
  #isSending = false;
  /** Since when the queue has answered nothing but doubtful things. */
  #doubtedSince: number | undefined;

  constructor(job: HandedJob, options: ReportsOptions) {
    this.job = job;
    this.#options = options;
  }

  get lease(): LeaseRef {
    const { jobId, leaseToken } = this.job;
    return { jobId, leaseToken };
  }

  /** Whether the queue may have been told of chunks. */
  get hasStreamed(): boolean {
    return this.#hasStreamed;
  }

  /** True until the outcome is there. */
  get isRunning(): boolean {
    return this.#result === undefined && !this.#gone.signal.aborted;
  }

  chunks(batch: ChunkBatch): void {
    if (!this.isRunning) return;
    this.#hasStreamed = true;
    let nextIndex = batch.firstIndex;
    for (const line of chunksOf(batch)) {
      nextIndex += 1;
      this.#chunks.push({ line, nextIndex });
    }
    void this.#send();
  }

  progress(value: Uint8Array): void {
    if (!this.isRunning) return;
    this.#progress = value;
    void this.#send();
  }

  /** Resolves with whether the queue took the result; at once where it is told nothing. */
  finish(outcome: Outcome): Promise<boolean> {
    const body = resultBody(outcome, this.#hasStreamed, this.#options.reporter);
    if (!this.isRunning || body === undefined) {
      this.drop();
      return Promise.resolve(false);
    }
    this.#progress = undefined;
    const { spool } = this.#options;
    spool.add(body.byteLength);
    return new Promise((resolve) => {
      const settle = (accepted: boolean): void => {
        spool.remove(body.byteLength);
        resolve(accepted);
      };
      this.#result = { body, settle };
      // The question for the next job, which this makes room for, leaves first: that one is what a handler waits for.
      setImmediate(() => void this.#send());
    });
  }

  /** Nothing more is said of the job; a result that was not taken counts as refused. Idempotent. */
  drop(): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort(OVER);
    this.#result?.settle(false);
  }

  /** One request at a time: what is said later must not arrive earlier. */
  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#hasWords) await this.#sendNext();
    this.#isSending = false;
  }

  get #hasWords(): boolean {
    if (this.#gone.signal.aborted) return false;
    return this.#progress !== undefined || this.#chunks.length > 0 || this.#result !== undefined;
  }

  /** A handler that tells its progress all the time does not hold up its chunks. */
  async #sendNext(): Promise<void> {
    const progress = this.#progress;
    this.#progress = undefined;
    if (progress !== undefined) await this.#sendProgress(progress);
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) return this.#sendChunk(chunk);
    if (this.#result !== undefined) await this.#sendResult(this.#result);
  }

  /** A part of a yield counts as taken when it is put to the others: the rest must come before any of it can leave. */
  async #sendChunk({ line, nextIndex }: WaitingChunk): Promise<void> {
    const bodies = this.#yields.add(line);
    if (bodies !== undefined) await this.#sendYield(bodies);
    // One that the queue does not want is over as well: the handler is not to wait for it.
    if (!this.#gone.signal.aborted) this.#options.chunksStored(this.lease, nextIndex);
  }

  async #sendYield({ whole, parts }: YieldBodies): Promise<void> {
    const url = this.#options.addresses.stream(this.lease.jobId);
    if (whole !== undefined) {
      const { refusal } = await this.#deliver("a chunk", url, whole);
      if (refusal === undefined) return;
    }
    for (const part of parts) await this.#deliver("a part of a chunk", url, part);
  }

  /** In the place of a result that is refused stands why: the queue would wait for one, and have the job done again. */
  async #sendResult({ body, settle }: Result): Promise<void> {
    const { addresses, reporter } = this.#options;
    const url = addresses.done(this.lease.jobId, this.#hasStreamed);
    const { isTaken: accepted, refusal } = await this.#deliver("the result", url, body);
    if (refusal !== undefined) {
      await this.#deliver("what became of the result", url, refusedBody(refusal, reporter));
    }
    if (this.#gone.signal.aborted) return;
    this.#gone.abort(OVER);
    settle(accepted);
  }

  /** Once only: a newer value is worth more than an old one that arrives late. */
  async #sendProgress(value: Uint8Array): Promise<void> {
    const { addresses, log } = this.#options;
    const { jobId } = this.lease;
    const failed = (why: string): void =>
      log.write("debug", `progress of a job was not taken: ${why}`, { jobId });
    try {
      const signal = AbortSignal.any([this.#gone.signal, AbortSignal.timeout(PROGRESS_LIMIT_MS)]);
      const url = addresses.done(jobId, false);
      const answer = await this.#options.http.post(url, jobId, progressBody(value), signal);
      if (answer.status >= 300) failed(answerText(answer));
    } catch (error) {
      failed(reasonOf(error));
    }
  }

  /** Repeats until the queue has answered it for good. */
  async #deliver(what: string, url: string, body: Uint8Array): Promise<Delivery> {
    const { times, log, http } = this.#options;
    const { jobId } = this.lease;
    const { signal } = this.#gone;
    const givenUpAt = performance.now() + times.reportPatienceMs;
    for (let failures = 1; !signal.aborted; failures += 1) {
      let reason: string;
      let retryInMs = backoffMs(failures, times.retry, Math.random());
      try {
        const answer = await http.post(url, jobId, body, signal);
        const { status } = answer;
        if (this.#isTaken(status)) return { isTaken: true };
        reason = answerText(answer);
        if (status === TOO_MANY) retryInMs = Math.max(retryInMs, times.tooManyPauseMs);
        if (isRefusal(status)) {
          log.write("error", `the queue does not take ${what} of a job: ${reason}`, { jobId });
          return { isTaken: false, refusal: reason };
        }
      } catch (error) {
        this.#doubtedSince = undefined;
        reason = reasonOf(error);
      }
      if (signal.aborted) break;
      if (this.#isDoubtedTooLong() || performance.now() + retryInMs > givenUpAt) {
        log.write("error", `${what} of a job is given up: ${reason}`, { jobId });
        break;
      }
      const fields = { jobId, retryInMs };
      log.write("warn", `the queue has not taken ${what} of a job: ${reason}`, fields);
      await pause(retryInMs, signal);
    }
    return { isTaken: false };
  }

  #isTaken(status: number): boolean {
    if (!DOUBTFUL.has(status)) this.#doubtedSince = undefined;
    else this.#doubtedSince ??= performance.now();
    return status >= 200 && status < 300;
  }

  /** A queue that does not know the job any more is not told of it chunk by chunk, each with all patience. */
  #isDoubtedTooLong(): boolean {
    const sinceMs = performance.now() - (this.#doubtedSince ?? performance.now());
    return sinceMs > this.#options.times.doubtPatienceMs;
  }
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !DOUBTFUL.has(status) && !MOMENTARY.has(status);
}
