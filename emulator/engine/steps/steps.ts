/** Runs steps: each decides in memory and at once, and is answered when what it rests on is durable. */
import type { JobCounts } from "../../core/jobs/job-counts.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Ownership } from "../../store/ownership.ts";
import type { Boot, Store, StoreReads } from "../../store/store.ts";
import { type Payload, PayloadGoneError } from "../../store/payload.ts";
import { BatchWriter } from "./batch-writer.ts";
import { Journal } from "../../core/undo-journal.ts";
import { JobMemory, MEMORY_LIMITS, type MemoryLimits } from "./state/job-memory.ts";
import { ReadAhead } from "./state/read-ahead.ts";
import { Defects } from "../observe/defects.ts";
import type { EngineLog } from "../observe/engine-log.ts";
import { OwnedMemory } from "./state/owned-memory.ts";
import { OwnedPartitions } from "./state/owned-partitions.ts";
import { refusalOf } from "./refusal.ts";
import { RecordBook, type RecordView } from "./state/record-book.ts";
import { Staging, type Stage } from "./staging.ts";
import { NO_RELEASES, type StepReleases } from "./step-releases.ts";
import {
  type ReadJobs,
  type RepeatableStep,
  type RepeatableStepOnJobs,
  StepRunner,
} from "./step-runner.ts";

export interface StepsOptions {
  readonly store: Pick<Store, "flush" | "stage" | "discard"> & StoreReads;
  readonly boot: Boot;
  readonly log: EngineLog;
  /** Real time. */
  readonly clock: Clock;
  readonly limits: MemoryLimits;
  /** For how long a batch gathers that nobody is kept waiting by, ms of real time. */
  readonly gatherMs: number;
  /** Given where several processes share the store. */
  readonly ownership: Ownership | undefined;
}

/** Begins to keep what the store has. Throws what the store throws. */
export async function openSteps(
  store: Store,
  {
    limits = MEMORY_LIMITS,
    gatherMs = 0,
    ownership,
    ...parts
  }: Pick<StepsOptions, "log" | "clock"> & Partial<Omit<StepsOptions, "store" | "boot">>,
): Promise<Steps> {
  return new Steps({ ...parts, limits, gatherMs, ownership, store, boot: await store.boot() });
}

export interface StepNeeds {
  /** Jobs that may be in the store alone: the step finds each of them that there is. */
  readonly jobs?: readonly string[];
  /** What was staged for it: what it does not store is given back. */
  readonly staged?: readonly (Payload | undefined)[];
  /** Waits for room in a batch as long as it takes; by default it is refused after 10 s. */
  readonly hasTime?: boolean;
}

export class Steps {
  /** The endpoints whose jobs steps may change. */
  readonly ownership: OwnedPartitions;
  /** What steps look at. */
  readonly memory: OwnedMemory;
  readonly #options: StepsOptions;
  readonly #jobs: JobMemory;
  readonly #records: RecordBook;
  readonly #writer: BatchWriter;
  readonly #runner: StepRunner;
  readonly #readAhead: ReadAhead;
  readonly #staging: Staging;
  #releases = NO_RELEASES;

  constructor(options: StepsOptions) {
    const { boot, clock, gatherMs, log, store, limits } = options;
    const journal = new Journal();
    this.#options = options;
    this.#staging = new Staging(options);
    const ownership = new OwnedPartitions(options.ownership, boot.lastSeq);
    const jobs = new JobMemory(journal, boot.batch, limits, (id) => ownership.holds(id));
    jobs.load(boot.counts, boot.running);
    this.#jobs = jobs;
    this.#records = new RecordBook(journal, boot.records, boot.recordsVersion);
    this.#writer = new BatchWriter({
      state: { jobs, records: this.#records, nextSeq: () => ownership.nextKey() },
      ...{ journal, clock, gatherMs, durable: boot.batch },
      flush: (batch) => store.flush(batch),
      lastSeq: () => ownership.lastKey,
      releases: () => this.#releases,
      onDefect: new Defects(log).of("what follows a batch of steps failed"),
    });
    this.ownership = ownership;
    this.memory = new OwnedMemory({ ownership, jobs, writer: this.#writer });
    ownership.follow((changed) => this.memory.recordsChanged(changed));
    const reading = <R>(read: Promise<R>) => this.#reading(read);
    this.#readAhead = new ReadAhead({ jobs, store, limit: limits.readAhead, reading });
    this.#runner = new StepRunner({
      ...{ writer: this.#writer, jobs, store, clock, reading },
      refreshRecords: () => this.refreshRecords(),
      refusalFor: (error) => this.refusalFor(error),
    });
  }

  /** From now on steps are released by these. A step before that asks for anything is refused. */
  releaseBy(releases: StepReleases): void {
    this.#releases = releases;
  }

  /** When the store was last seen to take longer than 2 s for what it is to store (real time). */
  get slowFlushAt(): number {
    return this.#writer.slowFlushAt;
  }

  /** When the store did not take the last batch (real time); long ago if it did. */
  get failedAt(): number {
    return this.#writer.failedAt;
  }

  /**
   * Runs `step`; resolves with its value when that is durable and its effects were released. A step that throws changes
   * nothing. It may run again: where several processes share the store, another one may come before it.
   *
   * @throws ServiceError storage_full, storage_failed, storage_busy, data_damaged, shutting_down, or what the step threw.
   */
  commit<T>(
    step: RepeatableStep<T>,
    { jobs = [], staged = [], hasTime = false }: StepNeeds = {},
  ): Promise<T> {
    const committed = this.#runner.run(step, jobs, hasTime);
    return staged.length === 0 ? committed : this.#staging.giveBackAfter(committed, staged);
  }

  /**
   * Commits a step on jobs that `read` finds in the store, which has all that was changed before. `step` gets them as they are
   * now, without those deleted meanwhile, and as they were.
   */
  commitOn<T>(read: ReadJobs, step: RepeatableStepOnJobs<T>): Promise<T> {
    return this.#runner.runOn(read, step);
  }

  /** Asks the store, which has all that was changed before. Throws what `ask` and the store throw. */
  async read<T>(ask: (reads: StoreReads) => Promise<T>): Promise<T> {
    await this.stored();
    return this.#reading(this.#ask(ask));
  }

  /** The counters of an endpoint as they are now, once that is durable; as they are then, if it was taken back. */
  async counts(endpointId: string): Promise<JobCounts> {
    const { counts } = this.#jobs.endpoint(endpointId);
    return (await this.stored()) ? counts : this.#jobs.endpoint(endpointId).counts;
  }

  /** The counters of an endpoint at once: ahead of the store by what is being stored. */
  countsNow(endpointId: string): JobCounts {
    return this.#jobs.endpoint(endpointId).counts;
  }

  /** Since when the oldest job of the endpoint waits that may cause scaling; undefined where none does, or only the store can tell. */
  waitingSince(endpointId: string): number | undefined {
    return this.#jobs.endpoint(endpointId).waitingSince;
  }

  /** The records that are in the store, at once; steps may have changed them since. */
  get records(): RecordView {
    return this.#records.stored;
  }

  /** That of the stored records, as far as this process knows; it tells nothing where the process has the store for itself. */
  get recordsVersion(): number {
    return this.#records.version;
  }

  /** Jobs in memory: those that run, the heads of queues, and those that the store does not have as they are. */
  jobsInMemory(isWanted: (job: Job) => boolean = () => true): readonly Job[] {
    return [...this.#jobs.all()].filter(isWanted);
  }

  /** The job as it is now, once that is durable; undefined if that was taken back, and if it is in the store alone, or deleted. */
  async jobInMemory(id: string): Promise<Job | undefined> {
    const job = this.#jobs.find(id);
    return (await this.stored()) ? job : undefined;
  }

  /** Reads waiting jobs of the endpoint into memory, if there are any; true when there are more of them now. */
  readAhead(endpointId: string): Promise<boolean> {
    return this.#readAhead.read(endpointId);
  }

  /**
   * Prepares bytes that a later `commit` stores: what `work` stages. When it throws, all that was staged is given back.
   *
   * @throws ServiceError storage_full, storage_failed, or what `work` threw
   */
  stage<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
    return this.#staging.together(work);
  }

  /**
   * Resolves when all is known that other processes changed of records before the call. To be awaited before a record is looked
   * for, or changed.
   *
   * @throws ServiceError storage_failed
   */
  async refreshRecords(): Promise<void> {
    try {
      await this.memory.refreshRecords();
    } catch (error) {
      throw this.refusalFor(error);
    }
  }

  /** Takes no more steps; resolves when those taken are answered. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  /** The refusal for a failure of what keeps things; any other error as it is. */
  refusalFor(error: unknown): unknown {
    return refusalOf(error, this.#options.log);
  }

  /** Resolves when what was changed so far is in the store, or was taken back. */
  async stored(): Promise<boolean> {
    try {
      await this.#writer.durable();
      return true;
    } catch {
      return false;
    }
  }

  async #ask<T>(ask: (reads: StoreReads) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask(this.#options.store);
      } catch (error) {
        // Its job is another one by now.
        if (!(error instanceof PayloadGoneError)) throw error;
      }
    }
  }

  #reading<T>(read: Promise<T>): Promise<T> {
    this.#releases.track("reading", read);
    return read;
  }
}
