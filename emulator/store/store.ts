/**
 * Port: storage of everything that must outlive the service. Only the owner writes: it decides in memory and stores its decisions
 * in batches. Adapters: memory (tests, --ephemeral), SQLite, and PostgreSQL, which several owners of different partitions may
 * share. A batch is data, its counters are absolute numbers, and nothing is read within a batch.
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

/** Data that the owner keeps in memory from its start on. */
export interface Boot {
  /** Number of the last batch with changes. */
  readonly batch: number;
  /** Highest key of all batches with changes. */
  readonly lastSeq: number;
  readonly counts: ReadonlyMap<string, JobCounts>;
  readonly running: readonly Job[];
  /** All records except usage, by kind and id. */
  readonly records: {
    readonly [K in Exclude<RecordKind, "usage">]: ReadonlyMap<string, Records[K]>;
  };
  /** Number of batches that changed records other than usage. 0 if no other replica can change records. */
  readonly recordsVersion: number;
}

/** Progress of a search. The store decides how many jobs it looks at, up to the maximum. */
interface Looked {
  /**
   * `beforeSeq` of the next search. All fitting jobs with this key or a higher one were found. Undefined if all jobs were found.
   */
  readonly nextSeq: number | undefined;
}

export interface FoundJobs extends Looked {
  readonly jobs: readonly Job[];
}

export interface CountedJobs extends Looked {
  readonly count: number;
}

/**
 * If several processes share a store (`ownership.ts`), queries for due or expired data cover only the partitions of this process.
 * All other queries cover all partitions. `boot` returns records, but no data of endpoints.
 *
 * Every result contains the durable data at the time of the query, including all batches flushed before. Do not change returned
 * bytes.
 */
export interface StoreReads {
  job(id: string): Promise<Job | undefined>;
  /** Jobs of an endpoint, the newest submission first. */
  listJobs(endpointId: string, listing: JobListing): Promise<readonly Job[]>;
  /** Jobs of all endpoints or of one that fit a filter, the newest submission first. */
  findJobs(window: JobWindow): Promise<FoundJobs>;
  /** Number of jobs that `findJobs` finds. */
  countJobs(window: JobWindow): Promise<CountedJobs>;
  /** Jobs of an endpoint in any status with a seq above `after`, by seq. */
  jobsOf(endpointId: string, after: number, limit: number): Promise<readonly Job[]>;
  /** Waiting jobs of the endpoint with a queueKey above `after`, in its order. */
  waitingJobs(endpointId: string, after: number, limit: number): Promise<readonly Job[]>;
  /** Jobs that do not run and have a `dueAt` ≤ `now`, the earliest first. */
  dueJobs(now: number, limit: number): Promise<readonly Job[]>;
  /** The earliest `dueAt` of the jobs that do not run. */
  nextDueAt(): Promise<number | undefined>;
  /** `queuedAt` of the oldest waiting job that may cause scaling (not lowPriority). Undefined if no such job waits. */
  oldestScalingQueuedAt(endpointId: string): Promise<number | undefined>;
  payload(seq: number, slot: PayloadSlot): Promise<ReadablePayload | undefined>;
  /** Stored chunks in index order, without gaps, in batches of any size. @throws PayloadDamagedError when a chunk is damaged */
  chunks(seq: number, window: ChunkWindow): Promise<readonly ChunkBatch[]>;
  /**
   * Batches with all chunks of the window, and perhaps more at either end, in index order, without gaps. Lines in files are
   * read on demand.
   *
   * @throws PayloadDamagedError when lines in the database are damaged
   */
  chunkBatches(seq: number, window: BatchWindow): Promise<readonly ReadableBatch[]>;
  /** Whether the damaged payload is still stored. It may have been deleted or replaced since. */
  isStillStored(damage: PayloadDamagedError): Promise<boolean>;
  /** Records of usage in order of id. @param from first id; default: all records */
  usage(from?: string, limit?: number): Promise<readonly Records["usage"][]>;
  readonly deliveries: DeliveryReads;
  readonly reports: ReportReads;
}

/** Reports on jobs that failed and were deleted. */
export interface ReportReads {
  byId(jobId: string): Promise<JobReport | undefined>;
  /** Reports, the newest deletion first. */
  list(filter: ReportFilter, limit: number): Promise<readonly JobReport[]>;
  oldestDeletedAt(): Promise<number | undefined>;
}

/** Webhook deliveries. `StoreReads.payload` reads the payloads that they share with jobs. */
export interface DeliveryReads {
  byId(id: string): Promise<Delivery | undefined>;
  /** The text of a delivery's body around the payloads. */
  frame(seq: number): Promise<JobFrame | undefined>;
  /** Deliveries, the newest first; with `before` only those with a lower `seq`. */
  list(filter: DeliveryFilter, limit: number, before?: number): Promise<readonly Delivery[]>;
  /** Deliveries with `nextTryAt` ≤ now, the longest due first, except to some origins. */
  due(now: number, limit: number, exceptOrigins: readonly string[]): Promise<readonly Delivery[]>;
  /** Earliest `nextTryAt` later than `after`. */
  nextTryAt(after: number): Promise<number | undefined>;
  /** Earliest moment at which a stored delivery was settled. */
  oldestSettledAt(): Promise<number | undefined>;
  firstPending(jobId: string): Promise<Delivery | undefined>;
}

export interface Store extends StoreReads {
  /** Reads the data that an owner needs at its start. */
  boot(): Promise<Boot>;
  /**
   * Stores the batch durably, as a whole or not at all. The number of the batch must be the next one. Batches are stored in the
   * order of the calls, each after the previous one has settled.
   *
   * @throws StoreFullError when there is no room; StoreUnusableError when the disk fails; StoreLostError when the data
   * directory is gone; StoreClosedError after `close`; BatchRefusedError when the batch does not match the stored data, and
   * PartitionsLostError or RecordsMovedError if several processes share the store. Nothing is stored then.
   */
  flush(batch: Batch): Promise<void>;
  /**
   * Prepares bytes to be stored. Large parts, or many small parts of one call, are written to a file and synced before this
   * resolves. The bytes must not change until they are stored. `discard` removes a file that no batch takes; otherwise the next
   * start does.
   *
   * @throws as `flush`
   */
  stage(parts: readonly Uint8Array[]): Promise<readonly Payload[]>;
  /** Discards a staged payload, unless a batch has taken it. */
  discard(payload: Payload): Promise<void>;
  /**
   * Looks for damage while the store works, and returns damaged payloads. Then removes files that a crash left. Call this once.
   * Ends early, with an empty result, when the store is closed.
   *
   * @throws StoreDamagedError when more than payloads is damaged; the store does nothing afterwards. StoreFullError when there is
   *   no room for the check.
   */
  check(): Promise<readonly PayloadDamage[]>;
  /** Waits for the work under way and releases everything. Idempotent. */
  close(): Promise<void>;
}

/** The batch does not match the stored data. The owner has a defect, or there is a second owner. */
export class BatchRefusedError extends Error {
  override readonly name: string = "BatchRefusedError";
}

/** The batch changes data of partitions that another replica now owns. */
export class PartitionsLostError extends BatchRefusedError {
  readonly partitions: ReadonlySet<number>;

  constructor(partitions: ReadonlySet<number>) {
    super("another replica has taken over the partition of the change");
    this.partitions = partitions;
  }
}

/** The batch changes records but is based on an outdated version, because another replica has changed records meanwhile. */
export class RecordsMovedError extends BatchRefusedError {
  constructor() {
    super("another replica has changed records meanwhile");
  }
}
