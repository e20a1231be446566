/** One worker as the service sees it: its state, the leases it holds, its credit and the line to it. */
import type { HandedJob, LeaseRef, Revocation } from "../../../runtime/protocol/outcome.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Reload, ServiceOrders } from "../../../runtime/protocol/session.ts";
import type { EndpointType } from "../../core/resources/endpoint.ts";
import type { Template } from "../../core/resources/template.ts";
import {
  newLife,
  SHOWN_STATES,
  type WorkerLife,
  type WorkerState,
} from "../../core/workers/worker-life.ts";
import type { LaunchedWorker, ServerAddress } from "../../launch/launcher.ts";
import { WorkerCredit } from "./worker-credit.ts";

export interface WorkerHandleOptions {
  readonly id: string;
  readonly endpointId: string;
  readonly endpointVersion: number;
  /** Service time. */
  readonly startedAt: number;
  /** The template as it was at the start; undefined for a worker that connected by itself. */
  readonly madeOf?: Template;
  /** From its start until it must be ready, ms; default 7 minutes. */
  readonly initLimitMs?: number;
  /** Real time, by which its silence, its start and its leaving are judged. */
  readonly realNow: () => number;
  /** Default: `QUEUE`. */
  readonly endpointType?: EndpointType;
  /** Somebody else started it and will end it; default false. */
  readonly isExternal?: boolean;
}

/** A worker that was ready for this long has shown that it can do its work, with or without a job. */
const PROVEN_AFTER_MS = 60_000;

export class WorkerHandle {
  readonly id: string;
  readonly endpointId: string;
  /** Version of the endpoint it was started for, or whose handler it was told to load since. */
  endpointVersion: number;
  /** Service time. */
  readonly startedAt: number;
  readonly madeOf: Template | undefined;
  readonly initLimitMs: number;
  /** Whether it takes jobs over a session, or requests as a server. */
  readonly endpointType: EndpointType;
  /** Somebody else started it and will end it: it counts as a worker for as long as it speaks. */
  readonly isExternal: boolean;
  /** Where it is in its life; assigned by `move-worker.ts` alone. */
  life: WorkerLife;
  /** Set by the launcher's start; undefined for a worker that connected by itself. */
  launched: LaunchedWorker | undefined;
  /** Where its server listens; undefined for a worker that has none, or whose start is not that far. */
  server: ServerAddress | undefined;
  /** The type of the GPUs it was given; undefined for none. */
  gpuTypeId: string | undefined;
  /** Devices of that type it was given. */
  gpuCount = 0;
  /** It has reported on a job. */
  hasFinishedJob = false;
  /** Since when it holds no job (real time); its start at first. */
  emptySince: number;
  /** The same in service time. */
  #emptiedAt: number;
  #heardAt: number;
  #hasSpoken = false;
  /** Things it said that are being dealt with. */
  #beingHeard = 0;
  readonly #credit = new WorkerCredit();
  /** What it was told to load and has not dealt with yet; meanwhile it is handed nothing. */
  #reload: Reload | undefined;
  #send: ((orders: ServiceOrders) => void) | undefined;
  readonly #realNow: () => number;
  #requests = 0;
  readonly #gone = new AbortController();

  constructor(options: WorkerHandleOptions) {
    this.id = options.id;
    this.endpointId = options.endpointId;
    this.endpointVersion = options.endpointVersion;
    this.startedAt = options.startedAt;
    this.madeOf = options.madeOf;
    this.initLimitMs = options.initLimitMs ?? LIMITS.workerInitMs;
    this.endpointType = options.endpointType ?? "QUEUE";
    this.isExternal = options.isExternal ?? false;
    this.#realNow = options.realNow;
    this.emptySince = this.#realNow();
    this.#emptiedAt = options.startedAt;
    this.#heardAt = this.emptySince;
    this.life = newLife(this.isExternal ? this.emptySince : undefined);
  }

  /** What is shown of it. */
  get state(): WorkerState {
    return SHOWN_STATES[this.life.phase];
  }

  /** Since when it could take a job and holds none (service time); its start at first. */
  get idleSince(): number {
    return Math.max(this.#emptiedAt, this.life.readyAt ?? this.startedAt);
  }

  /** When the last thing it said was dealt with (real time); the start of its program at first. */
  get heardAt(): number {
    return Math.max(this.#heardAt, this.life.beganAt ?? 0);
  }

  /** Jobs the worker may still be handed. */
  get credit(): number {
    const takesJobs = this.life.phase === "ready" && this.#send && !this.#reload;
    return takesJobs ? this.#credit.free : 0;
  }

  /** Jobs handed to it that are not sent yet. */
  get unsentCount(): number {
    return this.#credit.unsentCount;
  }

  /** Fires when it has ended, or counts as a worker no more. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  end(): void {
    this.launched = undefined;
    this.#gone.abort();
  }

  /** Jobs it holds, or requests it has not answered yet. */
  get heldCount(): number {
    return this.#credit.heldCount + this.#requests;
  }

  beginRequest(): void {
    this.#requests += 1;
  }

  endRequest(now: number): void {
    this.#requests -= 1;
    if (this.#requests === 0) this.#emptied(now);
  }

  get hasProcess(): boolean {
    return this.launched !== undefined;
  }

  get connected(): boolean {
    return this.#send !== undefined;
  }

  /**
   * Puts a session's line to the worker in place; credit starts anew with each session. What was not sent over the line
   * before is not sent over this one: the greeting says that it never arrived.
   */
  connect(send: (orders: ServiceOrders) => void): void {
    this.#credit.startAnew();
    this.#send = send;
  }

  /** Forgets the line if it is still this one; leases stay until they run out. */
  disconnect(send: (orders: ServiceOrders) => void): void {
    if (this.#send !== send) return;
    this.#send = undefined;
    this.#credit.withdraw();
  }

  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** What it said is still being dealt with: what it says after that has to wait, which is not its fault. */
  get isBeingHeard(): boolean {
    return this.#beingHeard > 0;
  }

  /** It says something at `now` (real time), whatever it is; `wasHeard` is to follow when that has been dealt with. */
  speaks(now: number): void {
    this.#hasSpoken = true;
    this.#beingHeard += 1;
    this.#heardAt = now;
  }

  wasHeard(now: number): void {
    this.#beingHeard -= 1;
    this.#heardAt = now;
  }

  /** Whatever happens to it now is no sign that its endpoint's workers cannot work. */
  hasProvenItself(now: number): boolean {
    const { readyAt } = this.life;
    if (readyAt === undefined) return false;
    return this.hasFinishedJob || now - readyAt >= PROVEN_AFTER_MS;
  }

  send(orders: ServiceOrders): void {
    this.#send?.(orders);
  }

  /** Credit that came over a line that is not in place any more is void, and so is what came before a reload was dealt with. */
  grant(count: number, send: (orders: ServiceOrders) => void): void {
    if (this.#send === send && !this.#reload) this.#credit.grant(count);
  }

  /** Takes back what was granted over a line that is still in place. A job that is on its way comes all the same. */
  withdrawCredit(send: (orders: ServiceOrders) => void): void {
    if (this.#send === send) this.#credit.withdraw();
  }

  /** Whether it can be told to load a new version of its handler; otherwise another worker has to take its place. */
  get canReload(): boolean {
    const isLive = this.state === "ready" || this.state === "initializing";
    return isLive && this.launched?.reloads === true;
  }

  /** Tells it to load the handler of a new version of its endpoint, now or when it greets. */
  reload(reload: Reload): void {
    this.endpointVersion = reload.version;
    this.#reload = reload;
    this.#credit.withdraw();
    this.send({ reload });
  }

  /** What it has yet to load. */
  get pendingReload(): Reload | undefined {
    return this.#reload;
  }

  /** It has dealt with that version: it is loaded, or the one before serves on. An older one than it was told last is no news. */
  hasReloaded(version: number): void {
    if (this.#reload?.version === version) this.#reload = undefined;
  }

  /** Uses one credit for a hand-over under `leaseToken`; `giveBack` undoes it. */
  reserve(leaseToken: string): void {
    this.#credit.reserve(leaseToken);
  }

  giveBack(leaseToken: string): void {
    this.#credit.giveBack(leaseToken);
  }

  /** Sends a job reserved before, unless its lease was revoked meanwhile. */
  handOver(job: HandedJob): void {
    if (this.#credit.mayBeSent(job.leaseToken)) this.send({ jobs: [job] });
  }

  /** Holds a lease that an earlier session of this worker was given. */
  hold(lease: LeaseRef): void {
    this.#credit.hold(lease.leaseToken);
  }

  /** The lease has ended, one way or the other. */
  release(leaseToken: string, now: number): void {
    if (this.#credit.release(leaseToken)) this.#emptied(now);
  }

  /** Takes the lease back and tells the worker to stop its job; the credit of a job that was not sent yet is free again. */
  revoke(revocation: Revocation, now: number): void {
    const { jobId, leaseToken, reason } = revocation;
    this.release(leaseToken, now);
    if (this.#credit.stopSending(leaseToken)) return;
    this.send({ revocations: [{ jobId, leaseToken, reason }] });
  }

  #emptied(now: number): void {
    this.#emptiedAt = now;
    this.emptySince = this.#realNow();
  }
}
