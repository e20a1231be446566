/** One worker's conversation with the service: each report is one step, acknowledged together with its batch. */
import type { LeaseRef } from "../../../../runtime/protocol/outcome.ts";
import type {
  ChunkReceipt,
  ChunkReport,
  Hello,
  OutcomeReceipt,
  WorkerReport,
} from "../../../../runtime/protocol/session.ts";
import type { BodyRoom } from "../../../core/jobs/submission.ts";
import type { Receipts } from "../../steps/effects.ts";
import type { Step } from "../../steps/step.ts";
import type { BytesInFlight, LimitPort } from "../../limits/bytes-in-flight.ts";
import { apply } from "../../steps/apply.ts";
import { assignFreeCredit, assignWaiting } from "../../jobs/hand-over/assign.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { WorkerPort } from "../worker-port.ts";
import type { TellPort } from "../../observe/tell-port.ts";
import type { CatalogPort } from "../../resources/catalog-port.ts";
import type { WakePort } from "../../steps/wake-port.ts";
import { finish } from "../../jobs/finish.ts";
import { readSdkOutcomes } from "../../jobs/sdk-outcomes.ts";
import { welcomed } from "./welcome-worker.ts";
import type { Send, WorkerHandle } from "../worker-handle.ts";
import { FlowingBytes } from "./flowing-bytes.ts";
import {
  changesJobs,
  isInFiles,
  stageReport,
  type StagedReport,
} from "../../jobs/staged-report.ts";
import { storeChunks, storeProgress } from "../../streams/append-chunks.ts";

type SessionUses = StepPort & TimePort & WorkerPort & TellPort & CatalogPort & LimitPort & WakePort;

/** Opens a session with a connected worker; `send` sends orders to it. */
export type OpenSession = (worker: WorkerHandle, send: Send, rules?: SessionRules) => WorkerSession;

export function sessionsOn(engine: SessionUses): OpenSession {
  return (worker, send, rules) => new WorkerSession(engine, worker, send, rules);
}

export interface SessionRules {
  /**
   * Whether the worker reconnects after a refused report and repeats what has no receipt. All later reports of the session are
   * then refused as well, for an outcome must not overtake its refused chunks. Default: true.
   */
  readonly endsWithRefusal?: boolean;
}

export class WorkerSession {
  readonly worker: WorkerHandle;
  readonly #engine: SessionUses;
  readonly #send: Send;
  readonly #endsWithRefusal: boolean;
  /** The error of the first refused report, if a refusal ends the session. */
  #refusal: { readonly error: unknown } | undefined;
  /** Made when bytes of large messages flow. */
  #flow: FlowingBytes | undefined;
  /** Settles when all reports so far are staged. Keeps them in order while a large one is written. */
  #staged: Promise<unknown> | undefined;
  /**
   * Settles when the greeting was handled: a job handed over before would be taken back as never arrived. Rejects when the
   * greeting failed, so that later reports of the session fail as well.
   */
  #welcoming: Promise<void> | undefined;

  constructor(
    engine: SessionUses,
    worker: WorkerHandle,
    send: Send,
    { endsWithRefusal = true }: SessionRules = {},
  ) {
    this.#engine = engine;
    this.worker = worker;
    this.#send = send;
    this.#endsWithRefusal = endsWithRefusal;
    worker.connect(send);
  }

  /**
   * Applies a report and acknowledges it. Reports are applied in the order of the calls; the promise settles when this one
   * is durable. Rejects if it could not be stored: end the session then. The worker has no receipt and repeats the report
   * in its next session.
   */
  receive(report: WorkerReport): Promise<void> {
    return this.#take(report, false);
  }

  /**
   * Receives a large report that may have to wait for room. It keeps its place among the reports, but renewals and pauses
   * overtake it. Its memory is freed as soon as its bytes are not needed.
   */
  async receiveLarge(report: Promise<WorkerReport>, room: BodyRoom): Promise<void> {
    using _ = room;
    await this.#take(report, false, room);
  }

  /** Memory for the large reports of all workers. */
  get receiving(): BytesInFlight {
    return this.#engine.receiving;
  }

  /** Receives a report with payloads that are known to be JSON within their limits. */
  receiveChecked(report: WorkerReport): Promise<void> {
    return this.#take(report, true);
  }

  /** A report of the worker could not be taken. If a refusal ends the session, later reports reject with `error` too. */
  refuse(error: unknown): void {
    if (this.#endsWithRefusal) this.#refusal ??= { error };
  }

  acknowledge({ outcomes = [] }: WorkerReport, receipts: Receipts): void {
    const { worker } = this;
    const { outcomeReceipts, chunkReceipts, revocations } = receipts;
    for (const lease of outcomeReceipts) {
      const { leaseToken } = lease;
      this.#flow?.forget(leaseToken);
      worker.release(leaseToken, this.#engine.clock.now());
      this.#engine.early.ended(lease);
    }
    // The worker forgets these leases, and reports no outcome.
    for (const { leaseToken } of revocations) worker.release(leaseToken, this.#engine.clock.now());
    if (outcomes.some(({ outcome }) => outcome.kind !== "handed-back"))
      worker.hasFinishedJob = true;
    // A worker without jobs can be told to leave now.
    if (worker.state === "draining" && worker.heldCount === 0)
      this.#engine.endpointChanged(worker.endpointId);
    if (outcomeReceipts.length + chunkReceipts.length + revocations.length > 0)
      void this.#send(receipts);
  }

  /** Grants credit until it is withdrawn; settles when waiting jobs were handed over. */
  async grant(count: number): Promise<void> {
    this.worker.grant(count, this.#send);
    await assignFreeCredit(this.#engine, this.worker.endpointId);
  }

  /** The worker takes no more jobs. A job that is on its way is sent all the same. */
  withdrawCredit(): void {
    this.worker.withdrawCredit(this.#send);
  }

  /** A piece of a large message came, or was taken, while the jobs `onTheWay` have not arrived yet. */
  heard(onTheWay: readonly LeaseRef[]): void {
    this.#flow ??= new FlowingBytes(this.#engine, this.worker);
    this.#flow.heard(onTheWay);
  }

  /** Jobs have arrived at the worker that were on the way for a while. */
  arrived(leases: readonly LeaseRef[]): void {
    this.#flow?.arrived(leases);
  }

  /** The transfer of a job's payload is over, and the job goes on. */
  goesOn(lease: LeaseRef): void {
    this.#flow?.goesOn(lease);
  }

  /**
   * The connection is lost; leases stay until a new session renews them or they run out.
   *
   * @param onTheWay jobs that have not arrived: a worker that leaves does not come back for them
   */
  disconnected(onTheWay: readonly LeaseRef[] = []): void {
    const { worker } = this;
    if (worker.state === "draining" && onTheWay.length > 0) this.#takeBack(onTheWay);
    // The lost connection is the only sign that the worker has left.
    if (worker.disconnect(this.#send) && worker.namesItsJobs && worker.heldCount === 0) {
      if (worker.life.phase === "draining") this.#engine.mover.move(worker, "exit");
    }
    this.#engine.endpointChanged(worker.endpointId);
  }

  #takeBack(leases: readonly LeaseRef[]): void {
    const outcome = { kind: "handed-back" } as const;
    const outcomes = leases.map((lease) => ({ ...lease, outcome }));
    // If this fails, the leases run out.
    this.receive({ outcomes }).catch(() => undefined);
  }

  async #take(
    report: WorkerReport | Promise<WorkerReport>,
    isChecked: boolean,
    room?: BodyRoom,
  ): Promise<void> {
    using _ = this.#engine.mover.receive(this.worker);
    using shown = new DisposableStack();
    const arrived = (chunks: readonly ChunkReport[]) =>
      void shown.use(this.#engine.earlyChunks.arrive(chunks));
    // The payloads of a handler process on this machine are JSON that our own program has written.
    const isTrusted = isChecked || this.worker.endsWithService;
    const sdk = isChecked
      ? undefined
      : (sent: WorkerReport) => readSdkOutcomes(this.#engine, this.worker, sent);
    const terms = { before: this.#staged, isChecked: isTrusted, arrived, readOutcomes: sdk };
    const isLate = report instanceof Promise;
    const stage = (sent: WorkerReport) => stageReport(this.#engine, sent, terms);
    const staging = isLate ? report.then(stage) : stage(report);
    if (!(staging instanceof Promise)) return await this.#apply(staging);
    this.#staged = staging;
    // Before the next report is told that this one is staged.
    staging.catch((error: unknown) => this.refuse(error));
    const urgent = isLate ? undefined : this.#applyUrgent(report);
    // It is awaited below, but may be refused before that: a rejection without a handler would end the process.
    urgent?.catch(() => undefined);
    const staged = await staging;
    if (this.#staged === staging) this.#staged = undefined;
    if (room && isInFiles(staged)) room.free();
    const rest = isLate ? staged.report : { ...staged.report, renewals: [], pauses: [] };
    await Promise.all([urgent, this.#apply({ ...staged, report: rest })]);
  }

  /** Renewals and pauses do not wait until payloads are stored. */
  async #applyUrgent({ renewals = [], pauses = [] }: WorkerReport): Promise<void> {
    if (renewals.length + pauses.length === 0) return;
    const nothing = { chunks: [], progress: [], outcomes: [], staged: [] };
    await this.#apply({ ...nothing, report: { renewals, pauses } });
  }

  async #apply(staged: StagedReport): Promise<void> {
    const { report } = staged;
    const { log, mover } = this.#engine;
    // Before the greeting is answered, because the answer repeats a reload that is still open.
    const { initFailure: failure, ready: { reloadVersion } = {} } = report;
    if (reloadVersion !== undefined) this.worker.hasReloaded(reloadVersion);
    if (report.hello) this.#welcoming = this.#welcome(report.hello);
    if (this.#welcoming) await this.#welcoming;
    if (report.ready) mover.move(this.worker, "report-ready");
    if (failure) {
      this.worker.failure = `cannot load its handler: ${failure.message}`;
      mover.move(this.worker, "fail-init");
      const { id: workerId, endpointId } = this.worker;
      log.error({ workerId, endpointId, failure }, failure.message);
    }
    if (report.schemas) this.#engine.schemas.note(this.worker, report.schemas);
    if (report.draining) mover.move(this.worker, "report-draining");
    if (report.credit) this.worker.grant(report.credit, this.#send);
    if (!changesJobs(report)) return;
    const jobs = staged.outcomes.map(({ report: { jobId } }) => jobId);
    const committed = this.#engine.steps.commit(
      (step) => {
        if (this.#refusal) throw this.#refusal.error;
        const receipts = this.#applyToJobs(step, staged);
        step.effects.add({ type: "acknowledge", session: this, report, receipts });
      },
      // A worker that was refused repeats its message, and has lost the orders that were not sent yet.
      { jobs, staged: staged.staged, hasTime: true },
    );
    committed.catch((error: unknown) => this.refuse(error));
    await committed;
  }

  #applyToJobs(step: Step, staged: StagedReport): Receipts {
    const engine = this.#engine;
    const unknown: LeaseRef[] = [];
    for (const lease of staged.report.renewals ?? []) {
      if (!this.#renew(step, lease)) unknown.push(lease);
    }
    const { chunks } = staged;
    const chunkReceipts: ChunkReceipt[] =
      chunks.length > 0 ? storeChunks(engine, step, chunks) : [];
    for (const progress of staged.progress) storeProgress(engine, step, progress);
    const outcomeReceipts: OutcomeReceipt[] = [];
    for (const { report, output } of staged.outcomes) {
      const accepted = finish(engine, step, this.worker, report, output);
      outcomeReceipts.push({ jobId: report.jobId, leaseToken: report.leaseToken, accepted });
    }
    for (const { jobId, ...pause } of staged.report.pauses ?? []) {
      const job = step.job(jobId);
      const event = { type: "report-pause", ...pause } as const;
      if (job) apply(step, job, event, engine.clock.now());
    }
    assignWaiting(engine, step, this.worker.endpointId);
    const revocations = unknown.map((lease) => ({ ...lease, reason: "lease-lost" as const }));
    return { outcomeReceipts, chunkReceipts, revocations };
  }

  #renew(step: Step, lease: LeaseRef): boolean {
    if (this.#engine.early.renew(lease)) return true;
    const job = step.job(lease.jobId);
    if (!job) return false;
    const { leaseMs } = this.#engine.lease;
    const event = { type: "renew", leaseToken: lease.leaseToken, leaseMs } as const;
    const renewed = apply(step, job, event, this.#engine.clock.now());
    // A job with an outcome taken before this renewal gets its receipt.
    return renewed.result === "changed" || job.lease?.token === lease.leaseToken;
  }

  async #welcome(hello: Hello): Promise<void> {
    const welcome = await welcomed(this.#engine, this.worker, hello);
    void this.#send(welcome);
    this.#welcoming = undefined;
  }
}
