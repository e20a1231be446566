/**
 * Chunks that readers get before they are durable. A chunk of a worker that ends with this process is void after a crash in any
 * case, because its job runs again as another attempt. It is shown once its hand-over is durable, so that the number of an attempt
 * that a reader saw is never used again. Receipts and the end of the job wait for the store.
 */
import type { Job } from "../../core/jobs/job.ts";
import { atEndOfTurn } from "../../store/end-of-turn.ts";
import type { EarlyHandOvers } from "../jobs/early-hand-overs.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { ChunkChange, JobWatchers } from "../steps/job-watchers.ts";
import type { OwnedPartitions } from "../steps/state/owned-partitions.ts";
import type { Step } from "../steps/step.ts";
import type { Fleet } from "../workers/fleet.ts";

/** Maximum size of the chunks of a job that are kept for readers who come before they are durable. */
const KEPT_MAX_BYTES = 256_000;

export interface EarlyChunkParts extends Pick<CatalogPort, "directory"> {
  readonly fleet: Pick<Fleet, "find">;
  readonly ownership: Pick<OwnedPartitions, "isShared">;
  readonly watchers: Pick<JobWatchers, "publish">;
  readonly early: Pick<EarlyHandOvers, "isStored">;
}

interface Kept {
  readonly changes: Set<ChunkChange>;
  bytes: number;
}

export class EarlyChunks {
  readonly #parts: EarlyChunkParts;
  /** Chunks that are shown at the end of this turn. */
  #leaving = new Set<ChunkChange>();
  /** Chunks with a hand-over that is not durable, by lease. */
  readonly #waiting = new Map<string, Set<ChunkChange>>();
  /** The newest chunks of each job that are shown and not durable. */
  readonly #kept = new Map<string, Kept>();
  /** All chunks that are not shown yet. */
  readonly #unshown = new Set<ChunkChange>();

  constructor(parts: EarlyChunkParts) {
    this.#parts = parts;
  }

  /** Shows the chunks after the step. False if they are to be shown when they are durable. */
  show(step: Step, change: ChunkChange): boolean {
    if (!this.#areAtOnce(change.job)) return false;
    if (this.#leaving.size === 0) atEndOfTurn(() => this.#showLeaving());
    this.#leaving.add(change);
    this.#unshown.add(change);
    step.onFailure(() => this.#forget(change));
    step.effects.add({ type: "shown", change });
    return true;
  }

  /** The newest chunks of the job that are shown and not durable, in order. */
  shown(jobId: string): Iterable<ChunkChange> {
    return this.#kept.get(jobId)?.changes ?? [];
  }

  /** The hand-over is durable. */
  handOverStored(leaseToken: string): void {
    const waiting = this.#waiting.get(leaseToken) ?? [];
    this.#waiting.delete(leaseToken);
    for (const change of waiting) this.#publish(change);
  }

  /** The chunks are durable. */
  stored(change: ChunkChange): void {
    if (this.#unshown.has(change)) this.#publish(change);
    this.#forget(change);
  }

  #areAtOnce({ endpointId, workerId = "" }: Job): boolean {
    const { directory, fleet, ownership } = this.#parts;
    if (ownership.isShared || fleet.find(workerId)?.endsWithService !== true) return false;
    return directory.findEndpoint(endpointId)?.streams !== "durable";
  }

  #showLeaving(): void {
    const leaving = this.#leaving;
    this.#leaving = new Set();
    for (const change of leaving) {
      const leaseToken = change.job.lease?.token ?? "";
      if (this.#parts.early.isStored(leaseToken)) this.#publish(change);
      else this.#waiting.set(leaseToken, (this.#waiting.get(leaseToken) ?? new Set()).add(change));
    }
  }

  #publish(change: ChunkChange): void {
    const { id } = change.job;
    this.#unshown.delete(change);
    const kept = this.#kept.get(id) ?? { changes: new Set(), bytes: 0 };
    this.#kept.set(id, kept);
    kept.changes.add(change);
    kept.bytes += bytesOf(change);
    // A reader that needs older ones waits until they are durable.
    for (const oldest of kept.changes) {
      if (kept.bytes <= KEPT_MAX_BYTES) break;
      this.#letGo(oldest);
    }
    this.#parts.watchers.publish(id, change);
  }

  #forget(change: ChunkChange): void {
    this.#leaving.delete(change);
    this.#unshown.delete(change);
    const leaseToken = change.job.lease?.token ?? "";
    const waiting = this.#waiting.get(leaseToken);
    if (waiting?.delete(change) && waiting.size === 0) this.#waiting.delete(leaseToken);
    this.#letGo(change);
  }

  #letGo(change: ChunkChange): void {
    const { id } = change.job;
    const kept = this.#kept.get(id);
    if (!kept?.changes.delete(change)) return;
    kept.bytes -= bytesOf(change);
    if (kept.changes.size === 0) this.#kept.delete(id);
  }
}

function bytesOf({ batches }: ChunkChange): number {
  return batches.reduce((sum, { lines }) => sum + lines.byteLength, 0);
}
