/** Test double: a job source with the test as its service. */
import { type ChunkBatch, chunksOf } from "../../../runtime/protocol/chunk-batch.ts";
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { HandedJob, LeaseRef, Outcome } from "../../../runtime/protocol/outcome.ts";
import type { PauseReport, Reload, Welcome } from "../../../runtime/protocol/session.ts";
import type { JobSource, JobSourceListener } from "../../../runtime/source/job-source.ts";

/** A job as a test describes it. */
export interface TestJob {
  readonly input?: unknown;
  readonly executionTimeoutMs?: number;
  readonly attempt?: number;
  readonly s3Config?: unknown;
  /** Puts the job before all others, like a returned job. */
  readonly first?: boolean;
  /** Handed over without credit: it was requested before the credit was withdrawn. */
  readonly unasked?: boolean;
}

/** A handed-over job as the service sees it. */
export class TestLease implements LeaseRef {
  readonly jobId: string;
  readonly leaseToken: string;
  readonly chunks: unknown[] = [];
  readonly progress: unknown[] = [];
  readonly pauses: PauseReport[] = [];
  readonly #outcome = Promise.withResolvers<Outcome>();
  readonly #waiters: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor(jobId: string) {
    this.jobId = jobId;
    this.leaseToken = `token-of-${jobId}`;
  }

  get outcome(): Promise<Outcome> {
    return this.#outcome.promise;
  }

  /** The outcome, with the output parsed. */
  async result(): Promise<Record<string, unknown>> {
    const outcome = await this.outcome;
    const output = "output" in outcome ? outcome.output : undefined;
    return { ...outcome, ...(output === undefined ? {} : { output: parse(output) }) };
  }

  /** Resolves when the job has sent at least this number of chunks. */
  hasChunks(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push({ count, resolve });
      this.#wake();
    });
  }

  addChunk(chunk: unknown): void {
    this.chunks.push(chunk);
    this.#wake();
  }

  finish(outcome: Outcome): void {
    this.#outcome.resolve(outcome);
  }

  #wake(): void {
    for (const waiter of this.#waiters) {
      if (this.chunks.length >= waiter.count) waiter.resolve();
    }
  }
}

export class MemoryJobSource implements JobSource {
  readonly leases = new Map<string, TestLease>();
  readonly initFailure = Promise.withResolvers<Failure>();
  readonly whenReady = Promise.withResolvers<number>();
  /** All schemas that the worker reported, oldest first. */
  readonly described: unknown[] = [];
  /** Every concurrency the worker announced, oldest first. */
  readonly announced: number[] = [];
  /** Chunks get their receipts at once, unless a test holds them back. */
  storesChunks = true;
  /** The newest reload that the worker has handled. */
  reloaded: number | undefined;
  isDraining = false;
  isClosed = false;
  #awaited: number | undefined;
  #listener: JobSourceListener | undefined;
  #credit = 0;
  #queue: HandedJob[] = [];
  #count = 0;
  readonly #onAnnounced: (() => void)[] = [];

  /** Submits a job; it is handed over as soon as there is credit. */
  submit({
    input = {},
    executionTimeoutMs = 60_000,
    attempt = 1,
    s3Config,
    first = false,
    unasked = false,
  }: TestJob = {}): TestLease {
    this.#count++;
    const lease = new TestLease(`job-${this.#count}`);
    this.leases.set(lease.leaseToken, lease);
    const job = {
      jobId: lease.jobId,
      leaseToken: lease.leaseToken,
      attempt,
      input: Buffer.from(JSON.stringify(input)),
      executionTimeoutMs,
      ...(s3Config === undefined ? {} : { s3Config: Buffer.from(JSON.stringify(s3Config)) }),
    };
    if (unasked) this.listener.job(job);
    else if (first) this.#queue.unshift(job);
    else this.#queue.push(job);
    this.#dispatch();
    return lease;
  }

  get credit(): number {
    return this.#credit;
  }

  /** Resolves when the worker has announced its concurrency this number of times. */
  hasAnnounced(times: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.announced.length >= times) resolve();
      };
      this.#onAnnounced.push(look);
      look();
    });
  }

  get listener(): JobSourceListener {
    if (this.#listener === undefined) throw new Error("The worker has not connected.");
    return this.#listener;
  }

  connect(listener: JobSourceListener): Promise<Welcome> {
    this.#listener = listener;
    return Promise.resolve({
      workerId: "worker-1",
      endpointId: "endpoint-1",
      leaseMs: 15_000,
      leaseRenewalMs: 5_000,
    });
  }

  /** Sends the worker a new version of its handler, like the service. */
  reload(reload: Reload): void {
    this.#credit = 0;
    this.#awaited = reload.version;
    this.listener.reload(reload);
  }

  /** Resolves when the worker has handled that version. */
  hasReloaded(version: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onAnnounced.push(() => {
        if (this.reloaded === version) resolve();
      });
    });
  }

  ready(concurrency: number, reloadVersion?: number): void {
    this.reloaded = reloadVersion;
    if (reloadVersion === this.#awaited) this.#awaited = undefined;
    this.announced.push(concurrency);
    this.whenReady.resolve(concurrency);
    for (const look of this.#onAnnounced) look();
  }

  describe(schemas: Uint8Array): void {
    this.described.push(parse(schemas));
  }

  initFailed(failure: Failure): Promise<void> {
    this.initFailure.resolve(failure);
    return Promise.resolve();
  }

  grant(count: number): void {
    if (this.#awaited !== undefined) return;
    this.#credit += count;
    this.#dispatch();
  }

  chunks(lease: LeaseRef, batch: ChunkBatch): void {
    const held = this.leases.get(lease.leaseToken);
    for (const chunk of chunksOf(batch)) held?.addChunk(parse(chunk));
    const nextIndex = batch.firstIndex + batch.count;
    if (this.storesChunks) queueMicrotask(() => this.listener.chunksStored(lease, nextIndex));
  }

  progress(lease: LeaseRef, value: Uint8Array): void {
    this.leases.get(lease.leaseToken)?.progress.push(parse(value));
  }

  paused(pause: PauseReport): void {
    this.leases.get(pause.leaseToken)?.pauses.push(pause);
  }

  finish(lease: LeaseRef, outcome: Outcome): Promise<{ readonly accepted: boolean }> {
    this.leases.get(lease.leaseToken)?.finish(outcome);
    return Promise.resolve({ accepted: true });
  }

  draining(): void {
    this.isDraining = true;
    this.#credit = 0;
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  #dispatch(): void {
    while (this.#credit > 0) {
      const job = this.#queue.shift();
      if (job === undefined) return;
      this.#credit--;
      this.listener.job(job);
    }
  }
}

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}
