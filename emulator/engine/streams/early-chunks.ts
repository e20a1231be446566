/**
 * Chunks that readers get before they are durable. A chunk of a worker that ends with this process is void after a crash in any
 * case, because its job runs again as another attempt. It is shown once its hand-over is durable, so that the number of an attempt
 * that a reader saw is never used again. Receipts and the end of the job wait for the store. Large chunks are shown when they
 * arrive: before they are in a file, and before their step.
 */
import type { ChunkReport } from "../../../runtime/protocol/session.ts";
import type { Job } from "../../core/jobs/job.ts";
import { atEndOfTurn } from "../../store/end-of-turn.ts";
import type { EarlyHandOvers } from "../jobs/hand-over/early-hand-overs.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { ChunkChange, JobWatchers } from "../steps/job-watchers.ts";
import type { OwnedPartitions } from "../steps/state/owned-partitions.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { Step } from "../steps/step.ts";
import type { Fleet } from "../workers/fleet.ts";

export interface EarlyChunkParts extends Pick<CatalogPort, "directory">, Pick<StepPort, "steps"> {
  readonly fleet: Pick<Fleet, "find">;
  readonly ownership: Pick<OwnedPartitions, "isShared">;
  readonly watchers: Pick<JobWatchers, "publish">;
  readonly early: Pick<EarlyHandOvers, "whenStored">;
}

export class EarlyChunks {
  readonly #parts: EarlyChunkParts;
  /** Chunks that are shown at the end of this turn. */
  #leaving = new Set<ChunkChange>();
  /** Chunks whose step has not begun, by lease, in order. */
  readonly #arrived = new SetsByKey<ChunkChange>();
  /** Chunks that were shown before their step. */
  readonly #arrivedFirst = new WeakSet<ChunkChange>();
  /** The chunks of each job that are shown and not durable. Each is in memory until then in any case. */
  readonly #kept = new SetsByKey<ChunkChange>();
  /** All chunks that are not shown yet. */
  readonly #unshown = new Set<ChunkChange>();

  constructor(parts: EarlyChunkParts) {
    this.#parts = parts;
  }

  /**
   * Shows the chunks of a report before their step. Dispose of the result when the report is stored or refused: chunks without a
   * step are void then.
   *
   * @param chunks within their limits
   */
  arrive(chunks: readonly ChunkReport[]): Disposable {
    const arrived: ChunkChange[] = [];
    for (const ofJob of Map.groupBy(chunks, ({ leaseToken }) => leaseToken).values()) {
      const change = this.#next(ofJob);
      if (change === undefined) continue;
      arrived.push(change);
      this.#arrived.add(tokenOf(change), change);
      this.#arrivedFirst.add(change);
      this.#leave(change);
    }
    return {
      [Symbol.dispose]: () => {
        for (const change of arrived)
          if (this.#arrived.delete(tokenOf(change), change)) this.#forget(change);
      },
    };
  }

  /** Shows the chunks after the step, or has shown them already. False if they are to be shown when they are durable. */
  show(step: Step, change: ChunkChange): boolean {
    if (!this.#areAtOnce(change.job)) return false;
    const shown = this.#arrivedAs(change) ?? change;
    if (!this.#arrived.delete(tokenOf(shown), shown)) this.#leave(shown);
    step.onFailure(() => this.#forget(shown));
    step.effects.add({ type: "shown", change: shown });
    return true;
  }

  /** The chunks of the job that are shown and not durable, in order. */
  shown(jobId: string): Iterable<ChunkChange> {
    return this.#kept.of(jobId);
  }

  /** The chunks are durable. A reader without memory for them looked for them in the store before their step, and looks again. */
  stored(change: ChunkChange): void {
    if (this.#unshown.has(change)) this.#publish(change);
    else if (this.#arrivedFirst.has(change)) this.#parts.watchers.publish(change.job.id, change);
    this.#forget(change);
  }

  /** The change by these chunks of one lease, if they may be shown and nothing between is missing. */
  #next(batches: readonly ChunkReport[]): ChunkChange | undefined {
    const [first] = batches;
    const job = first && this.#parts.steps.jobNow(first.jobId);
    if (!job || job.lease?.token !== first.leaseToken || !this.#areAtOnce(job)) return undefined;
    const newest = [...this.#arrived.of(first.leaseToken)].at(-1)?.job ?? job;
    let { chunkCount } = newest;
    for (const { firstIndex, count } of batches) {
      if (firstIndex !== chunkCount) return undefined;
      chunkCount += count;
    }
    return { type: "chunks", job: { ...job, chunkCount }, batches };
  }

  #arrivedAs({ batches, ...change }: ChunkChange): ChunkChange | undefined {
    const arrived = this.#arrived.of(tokenOf(change));
    return [...arrived].find((before) => before.batches[0] === batches[0]);
  }

  #areAtOnce({ endpointId, workerId = "" }: Job): boolean {
    const { directory, fleet, ownership } = this.#parts;
    if (ownership.isShared || fleet.find(workerId)?.endsWithService !== true) return false;
    return directory.findEndpoint(endpointId)?.streams !== "durable";
  }

  #leave(change: ChunkChange): void {
    if (this.#leaving.size === 0) atEndOfTurn(() => this.#showLeaving());
    this.#leaving.add(change);
    this.#unshown.add(change);
  }

  #showLeaving(): void {
    const leaving = this.#leaving;
    this.#leaving = new Set();
    for (const change of leaving) {
      this.#parts.early.whenStored(tokenOf(change), () => {
        if (this.#unshown.has(change)) this.#publish(change);
      });
    }
  }

  #publish(change: ChunkChange): void {
    const { id } = change.job;
    this.#unshown.delete(change);
    this.#kept.add(id, change);
    this.#parts.watchers.publish(id, change);
  }

  #forget(change: ChunkChange): void {
    this.#leaving.delete(change);
    this.#unshown.delete(change);
    this.#kept.delete(change.job.id, change);
  }
}

function tokenOf({ job }: Pick<ChunkChange, "job">): string {
  return job.lease?.token ?? "";
}

/** A set for each key, in order of addition. */
class SetsByKey<T> {
  readonly #sets = new Map<string, Set<T>>();

  of(key: string): ReadonlySet<T> {
    return this.#sets.get(key) ?? new Set();
  }

  add(key: string, entry: T): void {
    const set = this.#sets.get(key);
    if (set) set.add(entry);
    else this.#sets.set(key, new Set([entry]));
  }

  /** False: it was not there. */
  delete(key: string, entry: T): boolean {
    const set = this.#sets.get(key);
    if (!set?.delete(entry)) return false;
    if (set.size === 0) this.#sets.delete(key);
    return true;
  }
}
