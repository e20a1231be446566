/** One worker as the service sees it: its state, the leases it holds, its credit and the line to it. */
import type { HandedJob, LeaseRef, Revocation } from "../../runtime/protocol/outcome.ts";
import type { ServiceOrders } from "../../runtime/protocol/session.ts";
import type { LaunchedWorker } from "../launch/launcher.ts";

/**
 * - `initializing`: started, its handler not loaded yet
 * - `ready`: takes jobs; idle or running, by whether it holds any
 * - `draining`: finishes what it holds and takes nothing more
 * - `unhealthy`: its handler cannot be loaded
 * - `lost`: it was silent for too long; its jobs went back, and it is being ended
 */
export type WorkerState = "initializing" | "ready" | "draining" | "unhealthy" | "lost";

export interface FleetWorkerOptions {
  readonly id: string;
  readonly endpointId: string;
  readonly endpointVersion: number;
  readonly startedAt: number;
}

export class FleetWorker {
  readonly id: string;
  readonly endpointId: string;
  /** Version of the endpoint it was started for. */
  readonly endpointVersion: number;
  state: WorkerState = "initializing";
  /** Since when it holds no job (service time); its start at first. */
  idleSince: number;
  /** Set by the launcher's start; undefined for a worker that connected by itself. */
  launched: LaunchedWorker | undefined;
  /** It has said that its handler is loaded, at one time or another. */
  hasBeenReady = false;
  /** When the last thing it said was dealt with (service time); its start at first. */
  heardAt: number;
  #hasSpoken = false;
  /** Things it said that are being dealt with. */
  #beingHeard = 0;
  #credit = 0;
  #isSilent = false;
  #send: ((orders: ServiceOrders) => void) | undefined;
  readonly #held = new Set<string>();
  /** Leases handed over whose job is not sent yet. */
  readonly #unsent = new Set<string>();

  constructor(options: FleetWorkerOptions) {
    this.id = options.id;
    this.endpointId = options.endpointId;
    this.endpointVersion = options.endpointVersion;
    this.idleSince = options.startedAt;
    this.heardAt = options.startedAt;
  }

  /** Jobs the worker may still be handed. */
  get credit(): number {
    return this.state === "ready" && this.#send && !this.#isSilent ? this.#credit : 0;
  }

  get heldCount(): number {
    return this.#held.size;
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
    this.#unsent.clear();
    this.#send = send;
    this.#credit = 0;
  }

  /** Forgets the line if it is still this one; leases stay until they run out. */
  disconnect(send: (orders: ServiceOrders) => void): void {
    if (this.#send !== send) return;
    this.#send = undefined;
    this.#credit = 0;
  }

  /** It let a lease run out: until it speaks again nobody knows whether it would ever look at a job. */
  fallSilent(): void {
    this.#isSilent = true;
  }

  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** What it said is still being dealt with: what it says after that has to wait, which is not its fault. */
  get isBeingHeard(): boolean {
    return this.#beingHeard > 0;
  }

  /** It says something, whatever it is; `wasHeard` is to follow when that has been dealt with. */
  speaks(now: number): void {
    this.#hasSpoken = true;
    this.#isSilent = false;
    this.#beingHeard += 1;
    this.heardAt = now;
  }

  wasHeard(now: number): void {
    this.#beingHeard -= 1;
    this.heardAt = now;
  }

  send(orders: ServiceOrders): void {
    this.#send?.(orders);
  }

  /** Credit that came over a line that is not in place any more is void. */
  grant(count: number, send: (orders: ServiceOrders) => void): void {
    if (this.#send === send) this.#credit += count;
  }

  /** Uses one credit for a hand-over under `leaseToken`; `giveBack` undoes it. */
  reserve(leaseToken: string): void {
    this.#credit -= 1;
    this.#held.add(leaseToken);
    this.#unsent.add(leaseToken);
  }

  giveBack(leaseToken: string): void {
    this.#held.delete(leaseToken);
    if (this.#unsent.delete(leaseToken)) this.#credit += 1;
  }

  /** Sends a job reserved before, unless its lease was revoked meanwhile. */
  handOver(job: HandedJob): void {
    if (this.#unsent.delete(job.leaseToken)) this.send({ jobs: [job] });
  }

  /** Holds a lease that an earlier session of this worker was given. */
  hold(lease: LeaseRef): void {
    this.#held.add(lease.leaseToken);
  }

  /** The lease has ended, one way or the other. */
  release(leaseToken: string, now: number): void {
    if (this.#held.delete(leaseToken) && this.#held.size === 0) this.idleSince = now;
  }

  /** Takes the lease back and tells the worker to stop its job; the credit of a job that was not sent yet is free again. */
  revoke(revocation: Revocation, now: number): void {
    const { jobId, leaseToken, reason } = revocation;
    this.release(leaseToken, now);
    if (this.#unsent.delete(leaseToken)) this.#credit += 1;
    else this.send({ revocations: [{ jobId, leaseToken, reason }] });
  }
}
