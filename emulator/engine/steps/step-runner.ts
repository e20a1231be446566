/** Runs steps until they are stored: loads their jobs, waits for room, and repeats a step after a change by another process. */
import type { Job } from "../../core/jobs/job.ts";
import type { Clock } from "../../core/time/clock.ts";
import { pause } from "../../core/time/pause.ts";
import { PartitionsLostError, RecordsMovedError, type StoreReads } from "../../store/store.ts";
import type { BatchWriter, Sync } from "./batch-writer.ts";
import type { JobMemory } from "./state/job-memory.ts";
import type { Step } from "./step.ts";

/** Maximum number of runs of a step after other processes changed its records or took its partitions. */
const MAX_TRIES = 10;
/** Pause before the repetition of a step that was refused twice because another process has its partition, ms of real time. */
const PARTS_LOST_PAUSE_MS = 100;

/**
 * A step that may run again. If another process changed the same data first, the step's changes are taken back and it runs on
 * the new state. It must change state only through the given `Step`, or register an `onFailure`.
 */
export type RepeatableStep<T> = (step: Step) => Sync<T>;

/** A repeatable step on jobs. It gets the present jobs, without jobs deleted meanwhile, and the jobs as they were read. */
export type RepeatableStepOnJobs<T> = (
  step: Step,
  jobs: readonly Job[],
  rows: readonly Job[],
) => Sync<T>;

export type ReadJobs = (reads: StoreReads) => Promise<readonly (Job | undefined)[]>;

export interface StepRunnerParts {
  readonly writer: BatchWriter;
  readonly jobs: JobMemory;
  readonly store: StoreReads;
  /** Real time. */
  readonly clock: Clock;
  /** Called with each read. Returns its result. */
  readonly reading: <R>(read: Promise<R>) => Promise<R>;
  /** Resolves when all changes of records that other processes made before the call are known. */
  readonly refreshRecords: () => Promise<void>;
  /** Makes the error for a failure of the store. */
  readonly refusalFor: (error: unknown) => unknown;
}

export class StepRunner {
  readonly #parts: StepRunnerParts;

  constructor(parts: StepRunnerParts) {
    this.#parts = parts;
  }

  /** @param ids jobs that may be in the store alone @param hasTime true to wait for room without a timeout */
  async run<T>(step: RepeatableStep<T>, ids: readonly string[], hasTime: boolean): Promise<T> {
    const { jobs, writer } = this.#parts;
    let deadline: number | undefined;
    for (let tries = 1; ; tries += 1) {
      try {
        // The common case: nothing to wait for.
        if (!writer.isFull && ids.every((id) => jobs.knows(id))) return await writer.run(step);
        deadline ??= writer.room.deadline(hasTime);
        return await this.#prepare(step, ids, deadline);
      } catch (error) {
        await this.#refused(error, tries);
      }
    }
  }

  /** Runs the step on jobs from `read`, which sees all earlier changes. */
  async runOn<T>(read: ReadJobs, step: RepeatableStepOnJobs<T>): Promise<T> {
    const { writer } = this.#parts;
    const deadline = writer.room.deadline(false);
    writer.refuseNested();
    for (let tries = 1; ; tries += 1) {
      try {
        await writer.durable().catch(() => undefined);
        return await this.#runOn(read, step, deadline);
      } catch (error) {
        await this.#refused(error, tries);
      }
    }
  }

  async #prepare<T>(step: RepeatableStep<T>, ids: readonly string[], deadline: number): Promise<T> {
    const { jobs, writer } = this.#parts;
    writer.refuseNested();
    while (writer.isFull) await writer.room.wait(deadline);
    const unknown = ids.filter((id) => !jobs.knows(id));
    if (unknown.length === 0) return writer.run(step);
    const read: ReadJobs = (reads) => Promise.all(unknown.map((id) => reads.job(id)));
    return this.#runOn(read, step, deadline);
  }

  /** Runs the step as soon as its jobs are in memory and there is room. */
  async #runOn<T>(read: ReadJobs, step: RepeatableStepOnJobs<T>, deadline: number): Promise<T> {
    const { jobs, reading, store, writer } = this.#parts;
    let done: Promise<T>;
    {
      using _ = jobs.beginRead();
      let loads: number;
      let found: Awaited<ReturnType<ReadJobs>>;
      do {
        ({ loads } = jobs);
        found = await reading(read(store));
        // Other reads may have filled the batch meanwhile.
        while (writer.isFull) await writer.room.wait(deadline);
      } while (loads !== jobs.loads);
      const rows = found.filter((row) => row !== undefined);
      for (const row of rows) jobs.admit(row);
      done = writer.run<T>((taken) =>
        step(
          taken,
          rows.flatMap(({ id }) => taken.job(id) ?? []),
          rows,
        ),
      );
    }
    return done;
  }

  /**
   * Resolves when the step should be tried again, after a refusal for changes by other replicas. Throws the refusal for any
   * other failure.
   */
  async #refused(error: unknown, tries: number): Promise<void> {
    const { clock, refreshRecords, refusalFor } = this.#parts;
    const isMoved = error instanceof RecordsMovedError;
    if (tries === MAX_TRIES || !(isMoved || error instanceof PartitionsLostError))
      throw refusalFor(error);
    if (isMoved) await refreshRecords();
    // After the first refusal memory drops the lost partitions. A second refusal means that it has not dropped them yet.
    else if (tries > 1) await pause(clock, PARTS_LOST_PAUSE_MS);
  }
}
