/** Writes batches to the store. If the store refuses data of a batch, its independent parts are stored one by one. */
import { NO_COUNTS } from "../../core/jobs/job-counts.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Batch } from "../../store/batch.ts";
import { BatchRefusedError, PartitionsLostError, RecordsMovedError } from "../../store/store.ts";
import type { Waiter } from "./gathered-batch.ts";
import type { Failure, Refused } from "./refused-steps.ts";
import type { StepState } from "./step.ts";
import { independentParts } from "./resting-steps.ts";
import { changesRecords, type Contents, contentsOf } from "./step-changes.ts";

/** Minimum duration of a slow flush, which delays the messages of workers. */
const SLOW_MS = 2_000;

export interface BatchFlusherOptions {
  readonly state: StepState;
  readonly durable: number;
  readonly flush: (batch: Batch) => Promise<void>;
  /** Real time. */
  readonly clock: Clock;
  readonly lastSeq: () => number;
}

/**
 * Called when a batch was refused because another process has these partitions. `loads`: the memory's count of loads when the
 * batch was written. Must not throw.
 */
export type PartitionsLost = (partitions: ReadonlySet<number>, loads: number) => void;

export class BatchFlusher {
  /** Steps that are being written although memory has forgotten the state that they rest on. They must not be stored. */
  readonly outdated = new Set<Waiter>();
  readonly #options: BatchFlusherOptions;
  readonly #partitionsLost: PartitionsLost;
  /** Start of the running flush. */
  #beganAt: number | undefined;
  #slowAt = Number.NEGATIVE_INFINITY;
  /** The number of the last batch in the store. */
  #stored: number;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: BatchFlusherOptions, partitionsLost: PartitionsLost) {
    this.#options = options;
    this.#partitionsLost = partitionsLost;
    this.#stored = options.durable;
  }

  /** Time at which a flush was last found to be slow (real time). */
  get slowAt(): number {
    this.#noteSlow();
    return this.#slowAt;
  }

  /** Time at which the last batch failed because of the store, not of its data (real time); long ago if it did not fail. */
  get failedAt(): number {
    return this.#failedAt;
  }

  /** Never rejects. Resolves with the failure, or with undefined if everything is stored. */
  async store(waiters: readonly Waiter[]): Promise<Failure | undefined> {
    const { clock, lastSeq, state } = this.#options;
    try {
      const countsOf = (id: string) => state.jobs.endpoint(id).counts;
      const contents = contentsOf(waiters, lastSeq(), countsOf);
      try {
        await this.#flush(contents);
        return undefined;
      } catch (reason) {
        if (!(reason instanceof BatchRefusedError)) throw reason;
        return { reason, refused: await this.#storeRest(waiters, contents, reason) };
      }
    } catch (reason) {
      this.#failedAt = clock.now();
      return { reason, refused: undefined };
    } finally {
      this.outdated.clear();
    }
  }

  async #flush(contents: Contents): Promise<void> {
    const { clock, flush, state } = this.#options;
    const { changes, jobs } = contents;
    if (changes.length + jobs.length === 0) return;
    const number = this.#stored + 1;
    const { loads } = state.jobs;
    const areRecords = changesRecords(contents);
    const rests = areRecords ? { recordsVersion: state.records.version } : undefined;
    this.#beganAt = clock.now();
    try {
      await flush({ ...contents, ...rests, number });
    } catch (error) {
      if (error instanceof PartitionsLostError) this.#partitionsLost(error.partitions, loads);
      throw error;
    } finally {
      this.#noteSlow();
      this.#beganAt = undefined;
    }
    this.#stored = number;
    this.#failedAt = Number.NEGATIVE_INFINITY;
    if (areRecords) state.records.becameDurable(changes);
  }

  #noteSlow(): void {
    const now = this.#options.clock.now();
    if (this.#beganAt !== undefined && now - this.#beganAt > SLOW_MS) this.#slowAt = now;
  }

  /**
   * The store refused the data of a batch. Stores the batch without the refused steps. Returns the refused steps and the steps
   * that rest on them.
   */
  async #storeRest(
    waiters: readonly Waiter[],
    { counts, lastSeq }: Contents,
    reason: BatchRefusedError,
  ): Promise<Refused> {
    const refused = new Map<Waiter, unknown>();
    const refuse = (parts: Parts, error: unknown) => {
      for (const step of parts.flat()) refused.set(step, error);
    };
    const countsOf = (id: string) => counts.get(id) ?? NO_COUNTS;
    /**
     * Handles `parts`, which the store refused with `why`. Gives up outdated parts, and a part that was refused alone. Stores
     * the rest in halves.
     */
    const storeApart = async (parts: Parts, why: BatchRefusedError): Promise<void> => {
      const isOutdated = (part: Parts[number]) => part.some((step) => this.#isOutdated(step, why));
      const outdated = parts.filter(isOutdated);
      const fresh = outdated.length === 0 ? parts : parts.filter((part) => !isOutdated(part));
      refuse(outdated, why);
      const isWhole = fresh.length === parts.length;
      if (isWhole && parts.length === 1) refuse(parts, why);
      else if (isWhole) for (const half of halvesOf(parts)) await store(half);
      else await store(fresh);
    };
    const store = async (parts: Parts): Promise<void> => {
      try {
        await this.#flush(contentsOf(parts.flat(), lastSeq, countsOf));
      } catch (error) {
        if (error instanceof BatchRefusedError) await storeApart(parts, error);
        else refuse(parts, error);
      }
    };
    await storeApart(independentParts(waiters), reason);
    return refused;
  }

  /** Whether another process changed the state that the step rests on. The store would refuse such a step again. */
  #isOutdated(step: Waiter, reason: BatchRefusedError): boolean {
    if (this.outdated.has(step)) return true;
    return reason instanceof RecordsMovedError && changesRecords(step);
  }
}

/** Groups of steps. Only steps within one group rest on each other. */
type Parts = readonly (readonly Waiter[])[];

function halvesOf(parts: Parts): readonly Parts[] {
  const middle = Math.ceil(parts.length / 2);
  return [parts.slice(0, middle), parts.slice(middle)];
}
