/** Writes batches to the store. What is refused for its data is stored again in parts that have nothing to do with each other. */
import { NO_COUNTS } from "../core/jobs/job-counts.ts";
import type { Clock } from "../core/time/clock.ts";
import type { Batch } from "../store/batch.ts";
import { BatchRefusedError, PartsLostError, RecordsMovedError } from "../store/store.ts";
import { FlushWatch } from "./flush-watch.ts";
import type { Waiter } from "./gathered-batch.ts";
import type { Failure, Refused } from "./refused-steps.ts";
import type { StepState } from "./step.ts";
import { changesRecords, type Contents, contentsOf, independentParts } from "./step-changes.ts";

export interface BatchFlusherOptions {
  readonly state: StepState;
  /** The number of the last batch in the store. */
  readonly durable: number;
  readonly flush: (batch: Batch) => Promise<void>;
  /** Real time. */
  readonly clock: Clock;
  readonly lastSeq: () => number;
}

/** Called when a batch was refused for parts that another process has, with the loads of memory when it was written. Must not throw. */
export type PartsLost = (parts: ReadonlySet<number>, loads: number) => void;

export class BatchFlusher {
  /** Steps that are being written and rest on what memory has forgotten: they must not be stored any more. */
  readonly outdated = new Set<Waiter>();
  readonly #options: BatchFlusherOptions;
  readonly #partsLost: PartsLost;
  readonly #flushes: FlushWatch;
  /** The number of the last batch in the store. */
  #stored: number;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: BatchFlusherOptions, partsLost: PartsLost) {
    this.#options = options;
    this.#partsLost = partsLost;
    this.#stored = options.durable;
    this.#flushes = new FlushWatch(options.clock);
  }

  /** When a flush was last seen to take longer than 2 s (real time). */
  get slowAt(): number {
    return this.#flushes.slowAt;
  }

  /** When the last batch could not be stored, for no fault of its own (real time); long ago if it was. */
  get failedAt(): number {
    return this.#failedAt;
  }

  /** Never rejects; resolves with what failed, undefined if all is stored. */
  async store(waiters: readonly Waiter[]): Promise<Failure | undefined> {
    const { clock, lastSeq, state } = this.#options;
    const { loads } = state.jobs;
    try {
      const countsOf = (id: string) => state.jobs.endpoint(id).counts;
      const contents = contentsOf(waiters, lastSeq(), countsOf);
      try {
        await this.#flush(contents);
        return undefined;
      } catch (reason) {
        if (reason instanceof PartsLostError) this.#partsLost(reason.parts, loads);
        if (!(reason instanceof BatchRefusedError)) throw reason;
        return { reason, refused: await this.#storeParts(waiters, contents, reason) };
      }
    } catch (reason) {
      this.#failedAt = clock.now();
      return { reason, refused: undefined };
    } finally {
      this.outdated.clear();
    }
  }

  async #flush(contents: Contents): Promise<void> {
    const { flush, state } = this.#options;
    const { changes, jobs } = contents;
    if (changes.length + jobs.length === 0) return;
    const number = this.#stored + 1;
    const { version: recordsVersion } = state.records;
    const rests = changesRecords(contents) && { recordsVersion };
    await this.#flushes.watch(() => flush({ ...contents, ...rests, number }));
    this.#stored = number;
    this.#failedAt = Number.NEGATIVE_INFINITY;
    state.records.becameDurable(changes);
  }

  /** Stores what was refused for its data without what is refused of it. Answers those who rest on that. */
  async #storeParts(
    waiters: readonly Waiter[],
    whole: Contents,
    reason: BatchRefusedError,
  ): Promise<Refused> {
    const refused = new Map<Waiter, unknown>();
    for (const part of independentParts(waiters)) {
      const countsOf = (id: string) => whole.counts.get(id) ?? NO_COUNTS;
      try {
        if (part.some((step) => this.#isOutdated(step, reason))) throw reason;
        await this.#flush(contentsOf(part, whole.lastSeq, countsOf));
      } catch (error) {
        for (const step of part) refused.set(step, error);
      }
    }
    return refused;
  }

  /** The store would refuse it again, for what another process has done. */
  #isOutdated(step: Waiter, reason: BatchRefusedError): boolean {
    if (this.outdated.has(step)) return true;
    return reason instanceof RecordsMovedError && changesRecords(step);
  }
}
