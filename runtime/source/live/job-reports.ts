/** All reports on one job, in order: its chunks, its progress, its result. */
import { type ChunkBatch, chunksOf } from "../../protocol/chunk-batch.ts";
import type { HandedJob, LeaseRef, Outcome } from "../../protocol/outcome.ts";
import type { LiveAddresses } from "./addresses.ts";
import { answerText } from "./http.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import type { PendingReports } from "./pending-reports.ts";
import { ReportPost, type ReportPostOptions } from "./report-post.ts";
import { progressBody, refusedBody, type Reporter, resultBody } from "./result-body.ts";
import { type YieldBodies, WholeYields } from "./whole-yields.ts";

export interface ReportsOptions extends ReportPostOptions {
  readonly addresses: LiveAddresses;
  readonly reporter: Reporter;
  readonly pending: PendingReports;
  /** The queue has received all chunks below `nextIndex`. */
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

/** One error for all jobs, because an error costs more than the rest of a job's end. */
const OVER = new Error("no more is reported about the job");
/** Timeout of the answer to a progress value, for which later reports wait. */
const PROGRESS_LIMIT_MS = 10_000;
/** Reports on a job from its hand-over until the queue has its result, or no report counts any more. */
export class JobReports {
  /** The job as handed over, for a second hand-over. */
  readonly job: HandedJob;
  readonly #options: ReportsOptions;
  readonly #gone = new AbortController();
  readonly #post: ReportPost;
  readonly #chunks: WaitingChunk[] = [];
  readonly #yields = new WholeYields();
  #progress: Uint8Array | undefined;
  #result: Result | undefined;
  #hasStreamed = false;
  #isSending = false;
  /** Call it when the queue has received the whole stream. Undefined after that, and without a stream. */
  #streamTold: (() => void) | undefined;

  constructor(job: HandedJob, options: ReportsOptions) {
    this.job = job;
    this.#options = options;
    this.#post = new ReportPost(job.jobId, this.#gone.signal, {
      ...options,
      failed: () => this.#unsettle(),
    });
  }

  get lease(): LeaseRef {
    const { jobId, leaseToken } = this.job;
    return { jobId, leaseToken };
  }

  /** Whether the queue may have received chunks. */
  get hasStreamed(): boolean {
    return this.#hasStreamed;
  }

  /** True until the outcome is known. */
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

  /** Resolves with whether the queue accepted the result. Resolves at once for an outcome that is not reported. */
  finish(outcome: Outcome): Promise<boolean> {
    const body = resultBody(outcome, this.#hasStreamed, this.#options.reporter);
    if (!this.isRunning || body === undefined) {
      this.drop();
      return Promise.resolve(false);
    }
    this.#progress = undefined;
    const taken = this.#options.pending.result(body.byteLength);
    return new Promise((resolve) => {
      const settle = (accepted: boolean): void => {
        taken();
        resolve(accepted);
      };
      this.#result = { body, settle };
      this.#unsettle();
      // The request for the next job is sent first, because the handler waits for it.
      setImmediate(() => void this.#send());
    });
  }

  /** Ends the reports on the job. An unreceived result counts as refused. Idempotent. */
  drop(): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort(OVER);
    this.#result?.settle(false);
  }

  /** Sends one request at a time: a later report must not arrive earlier. */
  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#hasWords) await this.#sendNext();
    this.#isSending = false;
    this.#streamTold?.();
    this.#streamTold = undefined;
  }

  /** Chunks or the end of a stream are delayed: no further job is requested until the queue has them. */
  #unsettle(): void {
    if (this.#hasStreamed) this.#streamTold ??= this.#options.pending.stream();
  }

  get #hasWords(): boolean {
    if (this.#gone.signal.aborted) return false;
    return this.#progress !== undefined || this.#chunks.length > 0 || this.#result !== undefined;
  }

  /** Sends the next report. Frequent progress does not delay chunks. */
  async #sendNext(): Promise<void> {
    const progress = this.#progress;
    this.#progress = undefined;
    if (progress !== undefined) await this.#sendProgress(progress);
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) return this.#sendChunk(chunk);
    if (this.#result !== undefined) await this.#sendResult(this.#result);
  }

  /** Sends a chunk. A part of a yield counts as received when it is kept here: the whole yield is sent with its last part. */
  async #sendChunk({ line, nextIndex }: WaitingChunk): Promise<void> {
    const bodies = this.#yields.add(line);
    if (bodies !== undefined) await this.#sendYield(bodies);
    // A refused chunk counts as received too, because the handler must not wait for it.
    if (!this.#gone.signal.aborted) this.#options.chunksStored(this.lease, nextIndex);
  }

  async #sendYield({ whole, parts }: YieldBodies): Promise<void> {
    const url = this.#options.addresses.stream(this.lease.jobId);
    if (whole !== undefined) {
      const { refusal } = await this.#post.deliver("a chunk", url, whole);
      if (refusal === undefined) return;
    }
    for (const part of parts) await this.#post.deliver("a part of a chunk", url, part);
  }

  /** Sends the result, or if it is refused, the reason: without a result the queue would run the job again. */
  async #sendResult({ body, settle }: Result): Promise<void> {
    const { addresses, reporter } = this.#options;
    const url = addresses.done(this.lease.jobId, this.#hasStreamed);
    const { isTaken: accepted, refusal } = await this.#post.deliver("the result", url, body);
    if (refusal !== undefined) {
      await this.#post.deliver("the refusal of the result", url, refusedBody(refusal, reporter));
    }
    if (this.#gone.signal.aborted) return;
    this.#gone.abort(OVER);
    settle(accepted);
  }

  /** Sends a progress value once, because a newer value replaces a delayed one anyway. */
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
}
