/** A writer of batches on a store that answers when the test says so. */
import { submitJob } from "../../../../emulator/core/jobs/job-transition.ts";
import type { Job } from "../../../../emulator/core/jobs/job.ts";
import { Journal } from "../../../../emulator/core/undo-journal.ts";
import { BatchWriter } from "../../../../emulator/engine/steps/batch-writer.ts";
import type { Effects } from "../../../../emulator/engine/steps/effects.ts";
import { JobMemory } from "../../../../emulator/engine/steps/state/job-memory.ts";
import { RecordBook } from "../../../../emulator/engine/steps/state/record-book.ts";
import { NO_RELEASES, type StepReleases } from "../../../../emulator/engine/steps/step-releases.ts";
import type { Step } from "../../../../emulator/engine/steps/step.ts";
import type { Batch } from "../../../../emulator/store/batch.ts";
import { FakeClock } from "../../../fake-clock.ts";

/** A store with flushes that the test settles. */
class HeldStore {
  readonly flushes: {
    readonly batch: Batch;
    readonly succeed: () => void;
    readonly fail: (reason: Error) => void;
  }[] = [];

  flush = (batch: Batch): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.flushes.push({ batch, succeed: resolve, fail: reject });
    return promise;
  };
}

export interface WriterScene {
  readonly store: HeldStore;
  readonly jobs: JobMemory;
  readonly writer: BatchWriter;
  readonly clock: FakeClock;
  readonly released: Effects[];
  readonly refused: Effects[];
  /** Errors of work after a batch. */
  readonly defects: unknown[];
}

export function openWriter(releases: Partial<StepReleases> = {}): WriterScene {
  const journal = new Journal();
  const store = new HeldStore();
  const jobs = new JobMemory(journal, 0);
  const released: Effects[] = [];
  const refused: Effects[] = [];
  const defects: unknown[] = [];
  const clock = new FakeClock();
  let lastSeq = 0;
  const state = { jobs, records: new RecordBook(journal), nextSeq: () => (lastSeq += 1) };
  const writer = new BatchWriter({
    state,
    journal,
    durable: 0,
    flush: store.flush,
    clock,
    gatherMs: 1,
    lastSeq: () => lastSeq,
    onDefect: (error) => defects.push(error),
    releases: () => ({
      ...NO_RELEASES,
      release: (effects) => released.push(...effects),
      failed: (effects) => refused.push(...effects),
      ...releases,
    }),
  });
  return { store, jobs, writer, clock, released, refused, defects };
}

/** A waiting job. */
export function jobOf(seq: number, endpointId: string): Job {
  const specification = { seq, id: `job-${seq}`, endpointId, kind: "async" } as const;
  const times = { executionTimeoutMs: 1, ttlMs: 1, retentionMs: 1 };
  return submitJob({ ...specification, ...times, lowPriority: false, webhook: undefined }, 0);
}

/** Puts a job into the queue; returns its id. */
export function submit(step: Step, endpointId = "hello"): string {
  const job = jobOf(step.nextSeq(), endpointId);
  step.insertJob(job);
  return job.id;
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** The present state of a promise. */
export function outcomeOf(promise: Promise<unknown>): { state: string } {
  const outcome = { state: "open" };
  promise.then(
    () => (outcome.state = "resolved"),
    (error: unknown) => (outcome.state = String(error)),
  );
  return outcome;
}
