/** One worker as the service knows it: its life, the leases it holds, its credit, and its session. */
import type { HandedJob, LeaseRef, Revocation } from "../../../runtime/protocol/outcome.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Reload, ServiceOrders } from "../../../runtime/protocol/session.ts";
import type { WorkerStart } from "../../core/jobs/attempt.ts";
import type { EndpointType } from "../../core/resources/endpoints/endpoint.ts";
import type { Template } from "../../core/resources/templates/template.ts";
import type { Clock } from "../../core/time/clock.ts";
import {
  newLife,
  SHOWN_STATES,
  type WorkerLife,
  type WorkerState,
} from "../../core/workers/worker-life.ts";
import { namesItsJobs } from "../../core/workers/external-id.ts";
import type { GpuDevice } from "../../core/workers/gpu-allocation.ts";
import type { LaunchedWorker, ServerAddress, WorkerExit } from "../../launch/launcher.ts";
import { SentAhead } from "./session/sent-ahead.ts";
import { WorkerCredit } from "./session/worker-credit.ts";

/** Sends orders to a worker. Resolves when they take no memory any more. Undefined if that is at once. */
export type Send = (orders: ServiceOrders) => Promise<void> | undefined | void;

/** Follows the failure of a program that never called the service. */
export const NOT_A_WORKER =
  " and had never called the service: its program may be no worker (sv-worker, or one with the SDK of the live service)";

export interface WorkerHandleOptions {
  readonly id: string;
  readonly endpointId: string;
  readonly endpointVersion: number;
  /** Service time. */
  readonly startedAt: number;
  /** The settings at the worker's start. Undefined for an external worker. */
  readonly template?: Template;
  /** From its start until it must be ready, ms; default 7 minutes. */
  readonly initLimitMs?: number;
  /** Real time: the clock for the limits of its start, its silence and its leaving. */
  readonly realClock: Pick<Clock, "now">;
  /** Default: `QUEUE`. */
  readonly endpointType?: EndpointType;
  /** Whether the worker is external: the service neither starts nor ends it. Default: false. */
  readonly isExternal?: boolean;
}

/** The messages of a worker, in real time. */
interface WorkerContact {
  /** When the last message came or was handled; the worker's start before the first message. */
  lastAt: number;
  wasMade: boolean;
  /** Messages that are being handled. Later messages have to wait, through no fault of the worker. */
  underWay: number;
}

/** Time after which a ready worker has proven itself, with or without a job. */
const PROVEN_AFTER_MS = 60_000;

export class WorkerHandle {
  readonly id: string;
  readonly endpointId: string;
  /** The version of the endpoint at its start, or the version of the handler that it was last told to load. */
  endpointVersion: number;
  /** Service time. */
  readonly startedAt: number;
  readonly template: Template | undefined;
  readonly initLimitMs: number;
  /** Whether it takes jobs over a session, or requests as a server. */
  readonly endpointType: EndpointType;
  /** The worker is external: the service neither starts nor ends it. It counts as long as it sends messages. */
  readonly isExternal: boolean;
  /** The key of an external worker's last connection. */
  keyId: string | undefined;
  /** Assigned by `move-worker.ts` alone. */
  life: WorkerLife;
  /** When its program began to run (service time). Assigned by `move-worker.ts` alone, like the next three fields. */
  pulledAt: number | undefined;
  /** When its first message came (service time). */
  bootedAt: number | undefined;
  /** When it was told to leave, or announced that it leaves (service time). */
  drainingAt: number | undefined;
  /** How the worker became ready. Undefined until then. */
  start: WorkerStart | undefined;
  /** Set when its launcher starts it. Undefined for an external worker. */
  launched: LaunchedWorker | undefined;
  /** Where its server listens. Undefined for a worker without one, and while that is not known yet. */
  server: ServerAddress | undefined;
  /** Why it was given up, or cannot load its handler: a sentence without its subject. Undefined otherwise. */
  failure: string | undefined;
  /** How the worker's process ended. Undefined until then. */
  exit: WorkerExit | undefined;
  /** The worker's process was frozen on demand. */
  isFrozen = false;
  /** The GPUs it was given, all of one type. */
  gpus: readonly GpuDevice[] = [];
  hasFinishedJob = false;
  /** Since when it holds no job (real time); its start at first. */
  emptySince: number;
  /** The moment in service time. */
  #emptiedAt: number;
  /** Assigned by `move-worker.ts` alone. */
  readonly contact: WorkerContact;
  readonly #credit = new WorkerCredit();
  /** The handler that the worker was told to load, until it answers. Until then it gets no job. */
  #reload: Reload | undefined;
  #send: Send | undefined;
  /** The input that its session was sent ahead of a job. */
  readonly ahead = new SentAhead(() => this.#send);
  readonly #realClock: Pick<Clock, "now">;
  #requests = 0;
  readonly #gone = new AbortController();

  constructor(options: WorkerHandleOptions) {
    this.id = options.id;
    this.endpointId = options.endpointId;
    this.endpointVersion = options.endpointVersion;
    this.startedAt = options.startedAt;
    this.template = options.template;
    this.initLimitMs = options.initLimitMs ?? LIMITS.workerInitMs;
    this.endpointType = options.endpointType ?? "QUEUE";
    this.isExternal = options.isExternal ?? false;
    this.#realClock = options.realClock;
    this.emptySince = this.#realClock.now();
    this.#emptiedAt = options.startedAt;
    this.contact = { lastAt: this.emptySince, wasMade: false, underWay: 0 };
    this.life = newLife(this.isExternal ? this.emptySince : undefined);
  }

  /** The worker continues its jobs without this process, and names them when it connects again. */
  get namesItsJobs(): boolean {
    return this.isExternal && namesItsJobs(this.id);
  }

  /** The state as shown to clients. */
  get state(): WorkerState {
    return SHOWN_STATES[this.life.phase];
  }

  /** Since when it has been ready and without a job (service time); its start at first. */
  get idleSince(): number {
    return Math.max(this.#emptiedAt, this.life.readyAt ?? this.startedAt);
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

  /** Fires when it has exited, or is not counted as a worker any more. */
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

  /** Whether it ends with this process, however this process ends. */
  get endsWithService(): boolean {
    const kind = this.launched?.kind;
    return kind === "process" || kind === "function";
  }

  get hasProcess(): boolean {
    return this.launched !== undefined;
  }

  get connected(): boolean {
    return this.#send !== undefined;
  }

  /**
   * Begins a session. `send` sends its orders. Credit starts at zero with each session. Unsent orders of an earlier session are
   * dropped: the worker's greeting reports that they never arrived.
   */
  connect(send: Send): void {
    this.#credit.reset();
    this.ahead.forget();
    this.#send = send;
  }

  /** Ends the session, unless another one has begun since. Returns whether it ended. Leases stay until they run out. */
  disconnect(send: Send): boolean {
    if (this.#send !== send) return false;
    this.#send = undefined;
    this.#credit.withdraw();
    return true;
  }

  /** Ends the session in any case: nothing more is sent to it. */
  cutOff(): void {
    this.#credit.reset();
    this.#send = undefined;
  }

  /** If true, the worker's end does not mean that the workers of its endpoint cannot work. */
  hasProvenItself(now: number): boolean {
    const { readyAt } = this.life;
    if (readyAt === undefined) return false;
    return this.hasFinishedJob || now - readyAt >= PROVEN_AFTER_MS;
  }

  send(orders: ServiceOrders): void {
    void this.#send?.(orders);
  }

  /** Credit of an earlier session is void, and so is credit that came before a reload was answered. */
  grant(count: number, send: Send): void {
    if (this.#send === send && !this.#reload) this.#credit.grant(count);
  }

  /** Takes back the credit of this session. A job that is on its way is sent all the same. */
  withdrawCredit(send: Send): void {
    if (this.#send === send) this.#credit.withdraw();
  }

  /** Whether it can be told to load a new version of its handler; otherwise it has to be replaced. */
  get canReload(): boolean {
    const isActive = this.state === "ready" || this.state === "initializing";
    return isActive && this.launched?.reloads === true;
  }

  /** Tells it to load the handler of a new version of its endpoint: now, or with the answer to its greeting. */
  reload(reload: Reload): void {
    this.endpointVersion = reload.version;
    this.#reload = reload;
    this.#credit.withdraw();
    this.send({ reload });
  }

  /** The handler that it still has to load. */
  get pendingReload(): Reload | undefined {
    return this.#reload;
  }

  /** Call this when the worker has loaded that version, or keeps the previous one. Ignores answers about older versions. */
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

  /**
   * Sends a job that was reserved before, unless its lease was revoked meanwhile. Resolves when memory no longer needs its
   * input. Returns undefined if it is not needed at once.
   */
  handOver(job: HandedJob): Promise<void> | undefined {
    const mayGo = this.#credit.startSending(job.leaseToken);
    return (mayGo && this.#send?.({ jobs: [job] })) || undefined;
  }

  /** Holds a lease that was given to this worker in an earlier session. */
  hold(lease: LeaseRef): void {
    this.#credit.hold(lease.leaseToken);
  }

  release(leaseToken: string, now: number): void {
    if (this.#credit.release(leaseToken)) this.#emptied(now);
  }

  /** Takes the lease back and tells the worker to stop the job; a job that was not sent yet gives its credit back. */
  revoke(revocation: Revocation, now: number): void {
    const { jobId, leaseToken, reason } = revocation;
    this.release(leaseToken, now);
    if (this.#credit.stopSending(leaseToken)) return;
    this.send({ revocations: [{ jobId, leaseToken, reason }] });
  }

  #emptied(now: number): void {
    this.#emptiedAt = now;
    this.emptySince = this.#realClock.now();
  }
}
