/** Runs steps. Each one runs at once, in memory, and is answered when its changes and the changes it rests on are durable. */
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
import { Staging } from "./staging.ts";
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
  /** The unit of the patience of steps, ms of real time. With 0 no batch waits for further steps. */
  readonly gatherMs: number;
  /** Ownership of partitions. Undefined unless several processes share the store. */
  readonly ownership: Ownership | undefined;
}

/** Opens the steps on a store. Throws the errors of the store. */
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
  /** Jobs that may be in the store alone. The step finds those that exist. */
  readonly jobs?: readonly string[];
  /** Payloads staged for the step. Payloads that the step does not store are deleted. */
  readonly staged?: readonly (Payload | undefined)[];
  /** Whether to wait for room in a batch without limit. By default the step is refused after 10 s. */
  readonly hasTime?: boolean;
}

export class Steps {
  /** The endpoints whose jobs steps may change. */
  readonly ownership: OwnedPartitions;
  /** The stored state for reads. */
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
      onDefect: new Defects(log).of("an action after a batch of steps failed"),
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

  /** Sets the actions after steps. An earlier step that asks for one is refused. */
  releaseBy(releases: StepReleases): void {
    this.#releases = releases;
  }

  /** Time at which a write was last found to take longer than 2 s (real time). */
  get slowFlushAt(): number {
    return this.#writer.flusher.slowAt;
  }

  /** Resolves when all changes are stored or undone. Undefined if nothing is pending. */
  get storing(): Promise<void> | undefined {
    return this.#writer.storing;
  }

  /** Time at which the store failed to take the last batch (real time); long ago if it took it. */
  get failedAt(): number {
    return this.#writer.flusher.failedAt;
  }

  /**
   * Runs `step`. Resolves with its value when its changes are durable and its effects are released. A step that throws changes
   * nothing. If several processes share the store, the step may run again after a change by another one.
   * @throws ServiceError storage_full, storage_failed, storage_busy, data_damaged, shutting_down, or the error of the step
   */
  commit<T>(
    step: RepeatableStep<T>,
    { jobs = [], staged = [], hasTime = false }: StepNeeds = {},
  ): Promise<T> {
    const committed = this.#runner.run(step, jobs, hasTime);
    return staged.length === 0 ? committed : this.#staging.giveBackAfter(committed, staged);
  }

  /**
   * Commits a step on jobs that `read` finds in the store. The store then has all earlier changes. `step` gets the present
   * jobs, without jobs deleted meanwhile, and the jobs as they were read.
   */
  commitOn<T>(read: ReadJobs, step: RepeatableStepOnJobs<T>): Promise<T> {
    return this.#runner.runOn(read, step);
  }

  /** Asks the store, which then has all earlier changes. Throws the errors of `ask` and of the store. */
  async read<T>(ask: (reads: StoreReads) => Promise<T>): Promise<T> {
    await this.stored();
    return this.#reading(this.#ask(ask));
  }

  /**
   * Resolves with the present counters of an endpoint once they are durable. If changes are undone, with the counters after
   * that.
   */
  async counts(endpointId: string): Promise<JobCounts> {
    const { counts } = this.#jobs.endpoint(endpointId);
    return (await this.stored()) ? counts : this.#jobs.endpoint(endpointId).counts;
  }

  /** The counters of an endpoint in memory, ahead of the store by the batch that is being written. */
  countsNow(endpointId: string): JobCounts {
    return this.#jobs.endpoint(endpointId).counts;
  }

  /** The first waiting job of the endpoint in memory, if its input is not in memory. */
  nextWithoutInput(endpointId: string): Job | undefined {
    const [next] = this.#jobs.endpoint(endpointId).window.jobs;
    return next && this.#jobs.inputOf(next.id) === undefined ? next : undefined;
  }

  /**
   * Time since which the oldest job that may cause scaling has waited. Undefined if there is none, or if only the store knows
   * it.
   */
  waitingSince(endpointId: string): number | undefined {
    return this.#jobs.endpoint(endpointId).waitingSince;
  }

  /** The records in the store. Steps may have changed them since. */
  get records(): RecordView {
    return this.#records.stored;
  }

  /** The version of the stored records that this process knows. It is meaningless if the process does not share the store. */
  get recordsVersion(): number {
    return this.#records.version;
  }

  /** The jobs in memory: running jobs, the heads of queues, and jobs with changes that are not stored yet. */
  jobsInMemory(isWanted: (job: Job) => boolean = () => true): readonly Job[] {
    return [...this.#jobs.all()].filter(isWanted);
  }

  /** The job as it is in memory, which is ahead of the store. Undefined if memory does not know it. */
  jobNow(id: string): Job | undefined {
    return this.#jobs.find(id);
  }

  /** The job as `jobInMemory`, but without a wait if it runs and its hand-over is durable: its chunks may not be. */
  async runningJob(id: string): Promise<Job | undefined> {
    return this.#jobs.findSettled(id) ?? (await this.jobInMemory(id));
  }

  /** The job as it is now, once that is durable. Undefined if it was taken back or deleted, or is in the store alone. */
  async jobInMemory(id: string): Promise<Job | undefined> {
    const job = this.#jobs.find(id);
    return (await this.stored()) ? job : undefined;
  }

  /** Reads waiting jobs of the endpoint into memory. True if there are more in memory now. */
  readAhead(endpointId: string): Promise<boolean> {
    return this.#readAhead.read(endpointId);
  }

  /**
   * Stages groups of bytes for a later `commit`, each of one payload or of the chunks of one job. If one cannot be staged, all are
   * deleted.
   * @throws ServiceError storage_full, storage_failed
   */
  stage(groups: readonly (readonly Uint8Array[])[]): Promise<ReadonlyMap<Uint8Array, Payload>> {
    return this.#staging.stage(groups);
  }

  /**
   * Resolves when memory has all records that other processes changed before the call. Await it before looking for a record or
   * changing one.
   * @throws ServiceError storage_failed
   */
  async refreshRecords(): Promise<void> {
    try {
      await this.memory.refreshRecords();
    } catch (error) {
      throw this.refusalFor(error);
    }
  }

  /** Takes no more steps. Resolves when all accepted steps are answered. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  /** Returns the refusal for a failure of the storage, and any other error unchanged. */
  refusalFor(error: unknown): unknown {
    return refusalOf(error, this.#options.log);
  }

  /** Resolves when all changes so far are stored or undone. */
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
        // The job has changed meanwhile, so the read is repeated.
        if (!(error instanceof PayloadGoneError)) throw error;
      }
    }
  }

  #reading<T>(read: Promise<T>): Promise<T> {
    this.#releases.track("reading", read);
    return read;
  }
}
