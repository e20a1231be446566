/** The common part of job sources with sessions: one session at a time, and a new one whenever a session is lost. */
import { backoffMs, type BackoffTerms } from "../core/backoff.ts";
import type { ChunkBatch } from "../protocol/chunk-batch.ts";
import type { Failure } from "../protocol/failure.ts";
import type { HandedJob, LeaseRef, Outcome, Revocation } from "../protocol/outcome.ts";
import {
  PROTOCOL_VERSION,
  type HandlerReady,
  type InputAhead,
  type PauseReport,
  type Reload,
  type ServiceOrders,
  type Welcome,
  type WorkerReport,
} from "../protocol/session.ts";
import { RefusedError, type JobSource, type JobSourceListener } from "./job-source.ts";
import { LeaseBook } from "./lease-book.ts";
import { Outbox } from "./outbox.ts";
import type { OpenSession, Session, SessionEnd } from "./session.ts";

/** Payload bytes after which a bundle is closed. A larger payload is sent alone. */
const BUNDLE_BYTES = 4_000_000;

/** Maximum bundles in transit with chunks of one job: while one is stored, another arrives. */
const CHUNK_BUNDLES = 2;

export interface SessionSourceOptions {
  readonly openSession: OpenSession;
  readonly runtimeVersion: string;
  /** Waits between tries to reconnect; default 100 ms doubling up to 5 s. */
  readonly reconnect?: BackoffTerms;
  /** Called for each lost connection. */
  readonly onDisconnect?: (reason: string, retryInMs: number) => void;
}

/**
 * All reports of one turn of the event loop are sent as one bundle. The next session repeats unconfirmed ones: held leases,
 * chunks, outcomes, granted credit.
 */
export class SessionSource implements JobSource {
  readonly #options: SessionSourceOptions;
  readonly #book = new LeaseBook();
  readonly #outbox = new Outbox();
  readonly #welcomed = Promise.withResolvers<Welcome>();
  readonly #initReport = Promise.withResolvers<void>();
  #listener: JobSourceListener | undefined;
  #session: Session | undefined;
  #ready: HandlerReady | undefined;
  #schemas: Uint8Array | undefined;
  #initFailure: Failure | undefined;
  /** Granted credit for which no job has come yet. */
  #credit = 0;
  /** The input that came ahead of its job in this session. */
  #ahead: InputAhead | undefined;
  #draining = false;
  #closed = false;
  #failures = 0;
  #flushScheduled: NodeJS.Immediate | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: SessionSourceOptions) {
    this.#options = options;
    // A caller that never awaits the terms must not crash on a refusal.
    this.#welcomed.promise.catch(() => {});
  }

  get confirmed(): number {
    return this.#session?.confirmed ?? 0;
  }

  connect(listener: JobSourceListener): Promise<Welcome> {
    this.#listener = listener;
    if (this.#closed) this.#welcomed.reject(new RefusedError("The source was closed."));
    else this.#open();
    return this.#welcomed.promise;
  }

  ready(concurrency: number, reloadVersion?: number): void {
    this.#ready = { concurrency, ...(reloadVersion !== undefined && { reloadVersion }) };
    this.#outbox.ready(this.#ready);
    this.#schedule();
  }

  describe(schemas: Uint8Array): void {
    this.#schemas = schemas;
    this.#outbox.describe(schemas);
    this.#schedule();
  }

  initFailed(failure: Failure): Promise<void> {
    this.#initFailure = failure;
    this.#outbox.initFailed(failure);
    this.#schedule();
    if (this.#closed) this.#initReport.resolve();
    return this.#initReport.promise;
  }

  grant(count: number): void {
    if (this.#draining) return;
    this.#credit += count;
    this.#outbox.grant(count);
    this.#schedule();
  }

  chunks({ jobId, leaseToken }: LeaseRef, batch: ChunkBatch): void {
    const report = { jobId, leaseToken, ...batch };
    if (!this.#book.keepChunks(report)) return;
    this.#outbox.chunks(report);
    this.#schedule();
  }

  progress(lease: LeaseRef, value: Uint8Array): void {
    if (!this.#book.isRunning(lease)) return;
    this.#outbox.progress({ jobId: lease.jobId, leaseToken: lease.leaseToken, value });
    this.#schedule();
  }

  paused(pause: PauseReport): void {
    if (!this.#book.keepPause(pause)) return;
    this.#outbox.pause(pause);
    this.#schedule();
  }

  finish(lease: LeaseRef, outcome: Outcome): Promise<{ readonly accepted: boolean }> {
    return new Promise((resolve) => {
      if (!this.#book.isRunning(lease)) return resolve({ accepted: false });
      this.#book.keepOutcome(lease, outcome, (accepted) => resolve({ accepted }));
      this.#outbox.outcome({ jobId: lease.jobId, leaseToken: lease.leaseToken, outcome });
      this.#schedule();
    });
  }

  draining(): void {
    this.#draining = true;
    this.#credit = 0;
    this.#outbox.draining();
    this.#schedule();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#retry);
    clearInterval(this.#renewal);
    clearImmediate(this.#flushScheduled);
    const session = this.#session;
    if (session !== undefined) {
      for (let last; (last = this.#next(session)) !== undefined;) session.send(last);
      await session.close();
    }
    this.#initReport.resolve();
    this.#welcomed.reject(new RefusedError("The source was closed."));
    this.#book.clear();
  }

  #open(): void {
    this.#outbox.restart({
      protocolVersion: PROTOCOL_VERSION,
      runtimeVersion: this.#options.runtimeVersion,
      held: this.#book.leases(),
    });
    if (this.#ready !== undefined) this.#outbox.ready(this.#ready);
    if (this.#schemas !== undefined) this.#outbox.describe(this.#schemas);
    if (this.#initFailure !== undefined) this.#outbox.initFailed(this.#initFailure);
    this.#ahead = undefined;
    this.#book.repeatTo(this.#outbox);
    if (this.#draining) this.#outbox.draining();
    this.#outbox.grant(this.#credit);
    this.#session = this.#options.openSession({
      orders: this.#apply,
      writable: this.#written,
      ended: (end) => this.#lost(end),
    });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#flushScheduled !== undefined || this.#session === undefined) return;
    this.#flushScheduled = setImmediate(() => {
      this.#flushScheduled = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#session?.isWritable === true) {
      const report = this.#next(this.#session, this.#isHeldBack);
      if (report === undefined) return;
      if (report.chunks !== undefined) this.#book.chunksSent(report.chunks);
      this.#session.send(report);
    }
  }

  #next(session: Session, isHeldBack?: (lease: LeaseRef) => boolean): WorkerReport | undefined {
    if (session.isSending) return this.#outbox.takeUrgent();
    return this.#outbox.take(BUNDLE_BYTES, isHeldBack);
  }

  /**
   * Chunks that come while two bundles are being stored are sent together in the next one. A slow store therefore gets larger
   * bundles.
   */
  readonly #isHeldBack = (lease: LeaseRef): boolean =>
    this.#book.bundlesOnTheWay(lease) >= CHUNK_BUNDLES;

  readonly #written = (): void => {
    if (this.#closed) return;
    if (!this.#outbox.isEmpty) this.#schedule();
    else if (this.#initFailure !== undefined) this.#initReport.resolve();
  };

  #lost({ refused, reason, isRedirected = false }: SessionEnd): void {
    this.#session = undefined;
    clearInterval(this.#renewal);
    clearImmediate(this.#flushScheduled);
    this.#flushScheduled = undefined;
    if (this.#closed) return;
    if (refused) return this.#refuse(reason);
    this.#failures++;
    const { onDisconnect, reconnect = { firstMs: 100, maxMs: 5_000 } } = this.#options;
    // The first redirect is followed at once. Later ones wait, in case they form a circle.
    const isSentOn = isRedirected && this.#failures === 1;
    const waitMs = isSentOn ? 0 : backoffMs(this.#failures, reconnect, Math.random());
    if (!isSentOn) onDisconnect?.(reason, waitMs);
    this.#retry = setTimeout(() => this.#open(), waitMs);
  }

  #refuse(reason: string): void {
    this.#closed = true;
    this.#initReport.resolve();
    this.#welcomed.reject(new RefusedError(reason));
    this.#book.clear();
    this.#listener?.refused(reason);
  }

  /** Applies the fields in the order of their numbers on the wire, because a bundle may bring a job and revoke it. */
  readonly #apply = (orders: ServiceOrders): void => {
    if (this.#closed) return;
    if (orders.welcome !== undefined) this.#begin(orders.welcome);
    if (orders.inputAhead !== undefined) this.#ahead = orders.inputAhead;
    for (const job of orders.jobs ?? []) {
      this.#credit = Math.max(0, this.#credit - 1);
      if (this.#book.add(job)) this.#begins(job);
    }
    for (const revocation of orders.revocations ?? []) {
      if (this.#mustStop(revocation)) this.#listener?.revoked(revocation);
    }
    for (const receipt of orders.outcomeReceipts ?? []) {
      this.#book.release(receipt, receipt.accepted);
    }
    for (const receipt of orders.chunkReceipts ?? []) {
      this.#book.chunksStored(receipt, receipt.nextIndex);
      if (!this.#outbox.isEmpty) this.#schedule();
      this.#listener?.chunksStored(receipt, receipt.nextIndex);
    }
    if (orders.drain === true) this.#listener?.drain();
    if (orders.reload !== undefined) this.#reload(orders.reload);
  };

  /** A hand-over to an earlier session may lack its input. Its job goes back to the queue. */
  #begins(job: HandedJob): void {
    if (job.inputIsAhead !== true) return this.#listener?.job(job);
    const ahead = this.#ahead;
    if (ahead?.jobId === job.jobId) {
      this.#ahead = undefined;
      return this.#listener?.job({ ...job, input: ahead.input });
    }
    void this.finish(job, { kind: "handed-back" });
    this.grant(1);
  }

  /** Whether the job of a revocation still runs. A hand-over that was taken back is held until its outcome was received. */
  #mustStop(revocation: Revocation): boolean {
    if (revocation.reason === "taken-back") {
      this.#outbox.forgetStream(revocation);
      return this.#book.takeBack(revocation);
    }
    this.#outbox.forget(revocation);
    return this.#book.release(revocation, false);
  }

  #reload(reload: Reload): void {
    this.#credit = 0;
    this.#outbox.voidCredit();
    this.#listener?.reload(reload);
  }

  #begin(welcome: Welcome): void {
    this.#failures = 0;
    clearInterval(this.#renewal);
    this.#renewal = setInterval(() => {
      // Sent even without a lease, because a silent worker counts as lost.
      this.#outbox.renew(this.#book.leases());
      this.#schedule();
    }, welcome.leaseRenewalMs).unref();
    this.#welcomed.resolve(welcome);
  }
}
