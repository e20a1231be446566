/**
 * Port: where the service keeps everything that must outlive it. Its owner alone writes: it decides in memory and has what it
 * decided stored batch by batch. Adapters: memory (tests, --ephemeral), SQLite and PostgreSQL, which several
 * owners of different parts may share. A batch is data, counters are absolute, and nothing is read within a batch.
 */
import type { ChunkBatch, ChunkWindow } from "../../runtime/protocol/chunk-batch.ts";
import type { JobCounts } from "../core/jobs/job-counts.ts";
import type { JobFrame } from "../core/jobs/job-body.ts";
import type { JobWindow } from "../core/jobs/job-filter.ts";
import type { JobListing } from "../core/jobs/job-listing.ts";
import type { JobReport, ReportFilter } from "../core/jobs/job-report.ts";
import type { Job } from "../core/jobs/job.ts";
import type { Delivery, DeliveryFilter } from "../core/webhooks/delivery.ts";
import type { Batch } from "./batch.ts";
import type {
  BatchWindow,
  Payload,
  PayloadDamage,
  PayloadDamagedError,
  PayloadSlot,
  ReadableBatch,
  ReadablePayload,
} from "./payload.ts";
import type { RecordKind, Records } from "./records.ts";

/** What the owner has in memory from its start on. */
export interface Boot {
  /** The number of the last batch that changed anything. */
  readonly batch: number;
  /** No key above this one is in any batch that changed anything. */
  readonly lastSeq: number;
  readonly counts: ReadonlyMap<string, JobCounts>;
  /** All jobs in progress. */
  readonly running: readonly Job[];
  /** All records but those of use, by kind and id. */
  readonly records: {
    readonly [K in Exclude<RecordKind, "usage">]: ReadonlyMap<string, Records[K]>;
  };
  /** Counted up with each batch that changes records but those of use; 0 where nobody else could change them. */
  readonly recordsVersion: number;
}

/** How far a question about a filter came; how many jobs it looked at is the store's affair, but for the most. */
interface Looked {
  /** `beforeSeq` of the next question: no other job that fits has this or a higher one. Undefined: there is no other at all. */
  readonly nextSeq: number | undefined;
}

export interface FoundJobs extends Looked {
  readonly jobs: readonly Job[];
}

export interface CountedJobs extends Looked {
  readonly count: number;
}

/**
 * Where several processes share a store (`ownership.ts`), what is due or to be deleted is answered for those parts alone that
 * this one owns; all else is answered for all. `boot` tells of records, and of no endpoint.
 *
 * Every question is answered by what is durable when it reaches the store; all batches that were flushed before it was asked are.
 * Bytes that are answered must not be changed.
 */
export interface StoreReads {
  job(id: string): Promise<Job | undefined>;
  /** Jobs of an endpoint, the newest submission first. */
  listJobs(endpointId: string, listing: JobListing): Promise<readonly Job[]>;
  /** Jobs of all endpoints or of one that fit a filter, the newest submission first. */
  findJobs(window: JobWindow): Promise<FoundJobs>;
  /** How many those are. */
  countJobs(window: JobWindow): Promise<CountedJobs>;
  /** Jobs of an endpoint in any status with a seq above `after`, by seq. */
  jobsOf(endpointId: string, after: number, limit: number): Promise<readonly Job[]>;
  /** Waiting jobs of the endpoint with a queueKey above `after`, in its order. */
  waitingJobs(endpointId: string, after: number, limit: number): Promise<readonly Job[]>;
  /** Jobs that do not run and whose `dueAt` ≤ `now`, the earliest first. */
  dueJobs(now: number, limit: number): Promise<readonly Job[]>;
  /** The earliest `dueAt` of the jobs that do not run. */
  nextDueAt(): Promise<number | undefined>;
  /** `queuedAt` of the oldest waiting job that may cause scaling (not lowPriority); undefined if none waits. */
  oldestScalingQueuedAt(endpointId: string): Promise<number | undefined>;
  payload(seq: number, slot: PayloadSlot): Promise<ReadablePayload | undefined>;
  /**
   * Stored chunks in index order, without gaps, in batches of whatever size.
   *
   * @throws PayloadDamagedError when one of them is not what was stored
   */
  chunks(seq: number, window: ChunkWindow): Promise<readonly ChunkBatch[]>;
  /**
   * The batches that hold everything in the window, and perhaps more at either end, in index order, without gaps. Their lines
   * are read when they are wanted.
   *
   * @throws PayloadDamagedError when lines that lie in the database are not those that were stored
   */
  chunkBatches(seq: number, window: BatchWindow): Promise<readonly ReadableBatch[]>;
  /** Whether that is what is stored in its place now: it may have been deleted or replaced since it was found damaged. */
  isStillStored(damage: PayloadDamagedError): Promise<boolean>;
  /** The first records of use with an id of at least `from`, in order of id; by default all. */
  usage(from?: string, limit?: number): Promise<readonly Records["usage"][]>;
  readonly deliveries: DeliveryReads;
  readonly reports: ReportReads;
}

/** Reports on jobs that failed and were deleted. */
export interface ReportReads {
  byId(jobId: string): Promise<JobReport | undefined>;
  /** The newest deletion first. */
  list(filter: ReportFilter, limit: number): Promise<readonly JobReport[]>;
  oldestDeletedAt(): Promise<number | undefined>;
}

/** Webhook deliveries. The payloads they share with jobs are read with `StoreReads.payload`. */
export interface DeliveryReads {
  byId(id: string): Promise<Delivery | undefined>;
  /** The texts that stand around the payloads in the body. */
  frame(seq: number): Promise<JobFrame | undefined>;
  /** Newest first; with `before` only those older than the one with that `seq`. */
  list(filter: DeliveryFilter, limit: number, before?: number): Promise<readonly Delivery[]>;
  /** Those with `nextTryAt` ≤ now, the longest due first; none to one of the origins. */
  due(now: number, limit: number, exceptOrigins: readonly string[]): Promise<readonly Delivery[]>;
  /** The earliest `nextTryAt` that is later than `after`. */
  nextTryAt(after: number): Promise<number | undefined>;
  /** When the longest settled one was settled. */
  oldestSettledAt(): Promise<number | undefined>;
  /** The oldest of a job that is pending. */
  firstPending(jobId: string): Promise<Delivery | undefined>;
}

export interface Store extends StoreReads {
  /** What an owner has to know before anything else. */
  boot(): Promise<Boot>;
  /**
   * Stores the batch durably, all of it or nothing, with its number, which must be the next one. Batches are stored in the order
   * of the calls, each after the one before has settled. Any other number is that of an owner that does not know what is stored.
   *
   * @throws StoreFullError when there is no room; StoreUnusableError when the disk fails; StoreLostError when the data
   *   directory is not there any more; StoreClosedError after `close`; BatchRefusedError when it does not fit to what is stored,
   *   where several processes share the store PartsLostError and RecordsMovedError among it. Nothing of it is stored then.
   */
  flush(batch: Batch): Promise<void>;
  /**
   * Makes bytes ready to be stored: many small ones of one call, or large ones, are written to a file and synced before this
   * resolves. The bytes must not change until they are stored. A file that no batch takes is removed by `discard`, else at the
   * next start.
   *
   * @throws as `flush`
   */
  stage(parts: readonly Uint8Array[]): Promise<readonly Payload[]>;
  /** Gives back a staged payload at once; does nothing to one that a batch took. */
  discard(payload: Payload): Promise<void>;
  /**
   * Looks through all that is kept for damage, beside the work of the store, and answers what was found. Then removes what a
   * crash left that nothing refers to. To be called once. Ends early, with nothing found, when the store is closed.
   *
   * @throws StoreDamagedError when more than payloads is damaged; the store does nothing more then. StoreFullError when
   *   there is no room to look.
   */
  check(): Promise<readonly PayloadDamage[]>;
  /** Waits for what is under way and releases everything. Idempotent. */
  close(): Promise<void>;
}

/** A batch that does not fit to what is stored: a defect of its owner, or a second owner. */
export class BatchRefusedError extends Error {
  override readonly name: string = "BatchRefusedError";
}

/** A batch that changes what belongs to parts that another replica has by now. */
export class PartsLostError extends BatchRefusedError {
  readonly parts: ReadonlySet<number>;

  constructor(parts: ReadonlySet<number>) {
    super("another replica has taken over what is to be changed");
    this.parts = parts;
  }
}

/** A batch whose changes of records rest on others than those that are stored: another replica changed some meanwhile. */
export class RecordsMovedError extends BatchRefusedError {
  constructor() {
    super("another replica has changed records meanwhile");
  }
}
