/** The leases of a worker, each with its messages that the service has not confirmed. */
import { leaseKey, type LeaseRef, type Outcome } from "../protocol/outcome.ts";
import type { ChunkReport, PauseReport } from "../protocol/session.ts";
import type { Outbox } from "./outbox.ts";

/** One lease, from hand-over until the receipt for its outcome or its revocation. */
interface Held extends LeaseRef {
  /** Chunks without a receipt, oldest first. */
  chunks: ChunkReport[];
  /** For each bundle that was sent and not confirmed, oldest first: the index after its last chunk. */
  bundleEnds: number[];
  /** The hand-over was taken back: the service keeps no chunks of it, and gives no receipts for them. */
  isTakenBack?: boolean;
  pause?: PauseReport;
  outcome?: Outcome;
  settle?: (accepted: boolean) => void;
}

/**
 * Remembers everything that must be sent again after a lost connection. The chunk window of the handler process, and the number
 * of jobs that the worker takes at a time, bound its size.
 */
export class LeaseBook {
  readonly #held = new Map<string, Held>();

  /** False: the lease is held already. */
  add({ jobId, leaseToken }: LeaseRef): boolean {
    const key = leaseKey({ jobId, leaseToken });
    if (this.#held.has(key)) return false;
    this.#held.set(key, { jobId, leaseToken, chunks: [], bundleEnds: [] });
    return true;
  }

  /** All leases held, for a renewal or a greeting. */
  leases(): LeaseRef[] {
    return Array.from(this.#held.values(), ({ jobId, leaseToken }) => ({ jobId, leaseToken }));
  }

  get size(): number {
    return this.#held.size;
  }

  /** False: the lease has ended, and the chunks are useless. */
  keepChunks(report: ChunkReport): boolean {
    const held = this.#held.get(leaseKey(report));
    if (held === undefined || held.outcome !== undefined || held.isTakenBack) return false;
    held.chunks.push(report);
    return true;
  }

  /** Call it when the bundle was sent. */
  chunksSent(bundle: readonly ChunkReport[]): void {
    const ends = new Map<Held, number>();
    for (const report of bundle) {
      const held = this.#held.get(leaseKey(report));
      if (held !== undefined) ends.set(held, report.firstIndex + report.count);
    }
    for (const [held, end] of ends) held.bundleEnds.push(end);
  }

  /** Number of bundles with chunks of the lease that were sent and not confirmed. */
  bundlesOnTheWay(lease: LeaseRef): number {
    return this.#held.get(leaseKey(lease))?.bundleEnds.length ?? 0;
  }

  chunksStored(lease: LeaseRef, nextIndex: number): void {
    const held = this.#held.get(leaseKey(lease));
    if (held === undefined) return;
    held.bundleEnds = held.bundleEnds.filter((end) => end > nextIndex);
    const kept = held.chunks.findIndex(({ firstIndex, count }) => firstIndex + count > nextIndex);
    held.chunks = kept === -1 ? [] : held.chunks.slice(kept);
  }

  /** The hand-over was taken back. True if its job still runs. */
  takeBack(lease: LeaseRef): boolean {
    const held = this.#held.get(leaseKey(lease));
    if (held === undefined) return false;
    [held.chunks, held.bundleEnds, held.isTakenBack] = [[], [], true];
    return held.outcome === undefined;
  }

  /** True while the lease is held and no outcome was reported for it. */
  isRunning(lease: LeaseRef): boolean {
    const held = this.#held.get(leaseKey(lease));
    return held !== undefined && held.outcome === undefined;
  }

  /** Keeps the newest report of a pause. False: it is not needed any more. */
  keepPause(pause: PauseReport): boolean {
    const held = this.#held.get(leaseKey(pause));
    if (held === undefined || held.outcome !== undefined) return false;
    held.pause = pause;
    return true;
  }

  /** Keeps an outcome until its receipt. `settle` is called with whether it was accepted. */
  keepOutcome(lease: LeaseRef, outcome: Outcome, settle: (accepted: boolean) => void): void {
    const held = this.#held.get(leaseKey(lease));
    if (held === undefined) return settle(false);
    held.outcome = outcome;
    held.settle = settle;
  }

  /** Forgets a lease: its outcome was received, or it was revoked. Returns whether it was still running. */
  release(lease: LeaseRef, accepted: boolean): boolean {
    const key = leaseKey(lease);
    const held = this.#held.get(key);
    if (held === undefined) return false;
    this.#held.delete(key);
    held.settle?.(accepted);
    return held.outcome === undefined;
  }

  /** Reports everything again that has no receipt, in a new session. */
  repeatTo(outbox: Pick<Outbox, "chunks" | "pause" | "outcome">): void {
    for (const held of this.#held.values()) {
      const { jobId, leaseToken, chunks, pause, outcome } = held;
      held.bundleEnds = [];
      for (const report of chunks) outbox.chunks(report);
      if (outcome !== undefined) outbox.outcome({ jobId, leaseToken, outcome });
      else if (pause !== undefined) outbox.pause(pause);
    }
  }

  /** Forgets everything; outcomes without a receipt count as not accepted. */
  clear(): void {
    for (const held of this.#held.values()) held.settle?.(false);
    this.#held.clear();
  }
}
