/** Runs steps: each decides in memory and at once, and is answered when what it rests on is durable. */
import type { JobCounts } from "../core/jobs/job-counts.ts";
import type { Job } from "../core/jobs/job.ts";
import type { Clock } from "../core/time/clock.ts";
import type { Store, Boot, StoreReads } from "../store/store.ts";
import type { Payload } from "../store/payload.ts";
import { BatchWriter, type Sync } from "./batch-writer.ts";
import type { Effects } from "./effects.ts";
import { Journal } from "../core/journal.ts";
import { JobMemory, MEMORY_LIMITS, type MemoryLimits } from "./jobs/memory/job-memory.ts";
import { PayloadGoneError } from "./jobs/read/show-payload.ts";
import type { EngineLog } from "./observe/engine-log.ts";
import { refusalOf } from "./refusal.ts";
import { RecordBook, type RecordView } from "./resources/record-book.ts";
import type { Step } from "./step.ts";

export interface StepsOptions {
  readonly store: Pick<Store, "flush" | "stage" | "discard"> & StoreReads;
  readonly boot: Boot;
  readonly log: EngineLog;
  /** Real time. */
  readonly clock: Clock;
  readonly limits: MemoryLimits;
  /** For how long a batch gathers that nobody is kept waiting by, ms of real time. */
  readonly gatherMs: number;
}

/** What is to be done about steps. */
export interface StepReleases {
  /** Does what steps asked for. Called with the steps of a batch, in their order, once it is durable. */
  readonly release: (effects: readonly Effects[]) => void;
  /** Called with the effects of steps that were not stored, whose changes of memory were taken back. */
  readonly failed: (effects: readonly Effects[]) => void;
  /** Called with what is under way: things to be stored, and reads. */
  readonly track: (what: string, work: Promise<unknown>) => void;
}

/** Begins to keep what the store has. Throws what the store throws. */
export async function openSteps(
  store: Store,
  {
    limits = MEMORY_LIMITS,
    gatherMs = 0,
    ...parts
  }: Pick<StepsOptions, "log" | "clock"> & Partial<Pick<StepsOptions, "limits" | "gatherMs">>,
): Promise<Steps> {
  return new Steps({ ...parts, limits, gatherMs, store, boot: await store.boot() });
}

export interface StepNeeds {
  /** Jobs that may be in the store alone: the step finds each of them that there is. */
  readonly jobs?: readonly string[];
  /** What was staged for it: what it does not store is given back. */
  readonly staged?: readonly (Payload | undefined)[];
  /** Waits for room in a batch as long as it takes; by default it is refused after 10 s. */
  readonly hasTime?: boolean;
}

type ReadJobs = (reads: StoreReads) => Promise<readonly (Job | undefined)[]>;
type StepOnJobs<T> = (step: Step, jobs: readonly Job[], rows: readonly Job[]) => Sync<T>;

export class Steps {
  readonly #options: StepsOptions;
  readonly #jobs: JobMemory;
  readonly #records: RecordBook;
  readonly #writer: BatchWriter;
  #releases: StepReleases = {
    release: () => undefined,
    failed: () => undefined,
    track: () => undefined,
  };
  /** Endpoints whose waiting jobs are being read. */
  readonly #lengthening = new Set<string>();

  constructor(options: StepsOptions) {
    const { boot, clock, store, limits } = options;
    const journal = new Journal();
    this.#options = options;
    this.#jobs = new JobMemory(journal, boot.batch, limits);
    this.#jobs.load(boot.counts, boot.running);
    this.#records = new RecordBook(journal, boot.records);
    let { lastSeq } = boot;
    const state = { jobs: this.#jobs, records: this.#records, nextSeq: () => (lastSeq += 1) };
    this.#writer = new BatchWriter({
      state,
      journal,
      durable: boot.batch,
      flush: (batch) => store.flush(batch),
      clock,
      gatherMs: options.gatherMs,
      lastSeq: () => lastSeq,
      release: (effects) => this.#releases.release(effects),
      failed: (effects) => this.#releases.failed(effects),
      busy: (idle) => this.#releases.track("storing", idle),
    });
  }

  /** From now on steps are released so; those before asked for nothing. */
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
   * nothing.
   *
   * @throws ServiceError storage_full, storage_failed, storage_busy, data_damaged, shutting_down, or what the step threw.
   */
  async commit<T>(
    step: (step: Step) => Sync<T>,
    { jobs = [], staged = [], hasTime = false }: StepNeeds = {},
  ): Promise<T> {
    try {
      while (this.#writer.isFull) await this.#writer.room(hasTime);
      const unknown = jobs.filter((id) => !this.#jobs.knows(id));
      if (unknown.length === 0) return await this.#writer.run(step);
      return await this.#runOn((reads) => Promise.all(unknown.map((id) => reads.job(id))), step);
    } catch (error) {
      throw this.refusalFor(error);
    } finally {
      for (const payload of staged) this.#discard(payload);
    }
  }

  /**
   * The same with jobs that `read` finds in the store, which has all that was changed before. `step` gets them as they are
   * now, without those deleted meanwhile, and as they were.
   */
  async commitOn<T>(read: ReadJobs, step: StepOnJobs<T>): Promise<T> {
    try {
      await this.#stored();
      while (this.#writer.isFull) await this.#writer.room();
      return await this.#runOn(read, step);
    } catch (error) {
      throw this.refusalFor(error);
    }
  }

  /** Asks the store, which has all that was changed before. Throws what `ask` and the store throw. */
  async read<T>(ask: (reads: StoreReads) => Promise<T>): Promise<T> {
    await this.#stored();
    return this.#reading(this.#ask(ask));
  }

  /** The counters of an endpoint as they are now, once that is durable; as they are then, if it was taken back. */
  async counts(endpointId: string): Promise<JobCounts> {
    const { counts } = this.#jobs.endpoint(endpointId);
    return (await this.#stored()) ? counts : this.#jobs.endpoint(endpointId).counts;
  }

  /** The counters of an endpoint at once: ahead of the store by what is being stored. */
  countsNow(endpointId: string): JobCounts {
    return this.#jobs.endpoint(endpointId).counts;
  }

  /** The records that are in the store, at once; steps may have changed them since. */
  get records(): RecordView {
    return this.#records.stored;
  }

  /** Jobs in memory: those that run, the heads of queues, and those that the store does not have as they are. */
  jobsInMemory(isWanted: (job: Job) => boolean = () => true): readonly Job[] {
    return [...this.#jobs.all()].filter(isWanted);
  }

  /** The job as it is now, once that is durable; undefined if that was taken back, and if it is in the store alone, or deleted. */
  async jobInMemory(id: string): Promise<Job | undefined> {
    const job = this.#jobs.find(id);
    return (await this.#stored()) ? job : undefined;
  }

  /** Reads waiting jobs of the endpoint into memory, if there are any; true when there are more of them now. */
  async readAhead(endpointId: string): Promise<boolean> {
    const endpoint = this.#jobs.endpoint(endpointId);
    if (endpoint.coldCount === 0 || this.#lengthening.has(endpointId)) return false;
    this.#lengthening.add(endpointId);
    const { size } = endpoint.window;
    try {
      while (!(await this.#lengthen(endpointId)));
    } finally {
      this.#lengthening.delete(endpointId);
    }
    return endpoint.window.size > size;
  }

  async #lengthen(endpointId: string): Promise<boolean> {
    using _ = this.#jobs.beginRead();
    const { store, limits } = this.#options;
    const after = this.#jobs.endpoint(endpointId).window.lastKey;
    const limit = limits.readAhead;
    const rows = await this.#reading(store.waitingJobs(endpointId, after, limit));
    return this.#jobs.lengthen(endpointId, rows, { after, limit });
  }

  /** Prepares bytes that a later `commit` stores. @throws ServiceError storage_full, storage_failed */
  async stage(bytes: Uint8Array): Promise<Payload> {
    const [payload] = await this.stageChunks([bytes]);
    return payload ?? { kind: "inline", bytes };
  }

  /** The same for chunks of one job. @throws ServiceError storage_full, storage_failed */
  async stageChunks(parts: readonly Uint8Array[]): Promise<readonly Payload[]> {
    try {
      return await this.#options.store.stage(parts);
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
  async #stored(): Promise<boolean> {
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

  /** Runs the step in the moment in which what was read is in memory. */
  async #runOn<T>(read: ReadJobs, step: StepOnJobs<T>): Promise<T> {
    let done: Promise<T>;
    {
      using _ = this.#jobs.beginRead();
      const found = await this.#reading(read(this.#options.store));
      const rows = found.filter((row) => row !== undefined);
      const jobs = rows.flatMap((row) => this.#jobs.admit(row) ?? []);
      done = this.#writer.run<T>((taken) => step(taken, jobs, rows));
    }
    return done;
  }

  /** Removes a file that was not stored; if that fails, the next start removes it. */
  #discard(payload: Payload | undefined): void {
    if (payload?.kind !== "file") return;
    const { store, log } = this.#options;
    store.discard(payload).catch((error: unknown) => {
      log.warn({ err: error, file: payload.name }, "a file that is not needed stays for now");
    });
  }
}
