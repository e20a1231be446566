/**
 * Port: where the service keeps everything that must outlive it. The row is the truth: what is not committed here has
 * not happened. Adapters: memory (tests, --ephemeral) and SQLite. Written so that a server database fits as well:
 * changes are asynchronous transactions, and choosing the next job is the store's own operation.
 */
import type { ChunkBatch, ChunkWindow } from "../../runtime/protocol/chunk-batch.ts";
import type { ApiKey } from "../core/access/api-key.ts";
import type { ClockRecord } from "../core/time/clock.ts";
import type { Usage } from "../core/billing/usage.ts";
import type { Endpoint } from "../core/resources/endpoint.ts";
import type { JobCounts } from "../core/jobs/job-counts.ts";
import type { JobListing } from "../core/jobs/job-listing.ts";
import type { Job } from "../core/jobs/job.ts";
import type { RegistryAuth } from "../core/resources/registry-auth.ts";
import type { ServedEndpoint, ServedTemplate } from "../core/resources/served-endpoint.ts";
import type { NetworkVolume } from "../core/resources/network-volume.ts";
import type { OpenedPayload } from "../core/jobs/opened-payload.ts";
import type { Pod } from "../core/pods/pod.ts";
import type { Template } from "../core/resources/template.ts";
import type { WebhookSecret } from "../core/webhooks/webhook-secret.ts";
import type { DeliveryTransaction, DeliveryView } from "./delivery-store.ts";

/** Bytes to be stored. Large ones lie in a file of their own, already durable; see `Store.stage`. */
export type Payload =
  | { readonly kind: "inline"; readonly bytes: Uint8Array }
  | {
      readonly kind: "file";
      readonly name: string;
      /** Where in the file it begins; several chunks share one. */
      readonly offset: number;
      readonly sizeBytes: number;
      /** crc32 of its bytes. */
      readonly checksum: number;
    };

/**
 * A payload as it lies in the store: its size is known, its bytes are read when they are asked for. It is good until the
 * query or the step has settled in which it was asked for; whatever becomes of its job meanwhile does no harm.
 */
export interface StoredPayload {
  readonly sizeBytes: number;
  /** All of it. The bytes must not be changed. @throws PayloadDamagedError; StoreUnusableError when the disk fails */
  bytes(): Promise<Uint8Array>;
  /**
   * Opens it to be read slice by slice, also after the query or the step, and after its job is deleted; once all of it was
   * found to be what was stored.
   *
   * @throws PayloadDamagedError; StoreUnusableError when the disk fails, and so do its slices
   */
  open(): Promise<OpenedPayload>;
}

/** The payloads of a job besides its chunks. `output` also holds the progress value while the job runs. */
export type PayloadSlot = "input" | "output" | "s3Config";

/** A batch of chunks whose lines are ready to be stored. */
export interface StagedBatch extends Omit<ChunkBatch, "lines"> {
  readonly lines: Payload;
}

/** Records that are kept whole, by kind. */
export interface Records {
  readonly template: Template;
  readonly endpoint: Endpoint;
  readonly apiKey: ApiKey;
  readonly registryAuth: RegistryAuth;
  /** What files said at the last start, by endpoint. */
  readonly served: ServedEndpoint;
  /** The same of what endpoints share, by its own id. */
  readonly servedTemplate: ServedTemplate;
  readonly servedVolume: NetworkVolume;
  readonly clock: ClockRecord;
  readonly webhookSecret: WebhookSecret;
  readonly networkVolume: NetworkVolume;
  readonly usage: Usage;
  readonly pod: Pod;
}
export type RecordKind = keyof Records;

/**
 * What can be asked. Outside a transaction only committed state is seen, by each question as it is then: between two
 * questions a transaction may commit. Bytes that are answered must not be changed.
 */
export interface StoreView {
  job(id: string): Promise<Job | undefined>;
  payload(seq: number, slot: PayloadSlot): Promise<StoredPayload | undefined>;
  /**
   * Stored chunks in index order, without gaps, in batches of whatever size.
   *
   * @throws PayloadDamagedError when one of them is not what was stored
   */
  chunks(seq: number, window: ChunkWindow): Promise<readonly ChunkBatch[]>;
  counts(endpointId: string): Promise<JobCounts>;
  /** Jobs of an endpoint, the newest submission first. */
  listJobs(endpointId: string, listing: JobListing): Promise<readonly Job[]>;
  /** `queuedAt` of the oldest waiting job that may cause scaling (not lowPriority); undefined if none waits. */
  oldestScalingQueuedAt(endpointId: string): Promise<number | undefined>;
  /** The earliest `dueAt` of all jobs. */
  nextDueAt(): Promise<number | undefined>;
  record<K extends RecordKind>(kind: K, id: string): Promise<Records[K] | undefined>;
  /** The records of a kind in order of id: all, or those from the id `from` on. */
  records<K extends RecordKind>(kind: K, from?: string): Promise<readonly Records[K][]>;
  readonly deliveries: DeliveryView;
}

export interface StoreTransaction extends StoreView {
  /** The next ascending key for a job or a place in the queue; never given twice, not even after a restart. */
  nextSeq(): Promise<number>;
  /** Adds the job and keeps the counters. */
  insertJob(job: Job): Promise<void>;
  /** Replaces `before`, as read in this transaction, by `after` (same seq, id and endpoint) and keeps the counters. */
  replaceJob(before: Job, after: Job): Promise<void>;
  /** Deletes the job, as read in this transaction, with all its payloads and chunks, and keeps the counters. */
  deleteJob(job: Job): Promise<void>;
  /** Stores the payload in place of the one there, if any. A file can be stored once only. */
  putPayload(seq: number, slot: PayloadSlot, payload: Payload): Promise<void>;
  removePayload(seq: number, slot: PayloadSlot): Promise<void>;
  /**
   * Stores the payload under `toSeq` as well, where it stays whatever becomes of the first; answers its size in bytes, 0
   * if there is none. The bytes of large ones are kept once.
   */
  sharePayload(seq: number, slot: PayloadSlot, toSeq: number): Promise<number>;
  /** Adds a batch of chunks; `firstIndex` is the number of chunks already there. */
  appendChunks(seq: number, batch: StagedBatch): Promise<void>;
  removeChunks(seq: number): Promise<void>;
  /** Whether that is what is stored in its place now: it may have been deleted or replaced since it was found damaged. */
  isStillStored(damage: PayloadDamagedError): Promise<boolean>;
  /** The first waiting jobs of the endpoint, by queueKey. */
  waitingJobs(endpointId: string, limit: number): Promise<readonly Job[]>;
  /** Jobs in progress by seq, all or those that a worker holds or that are of an endpoint. */
  runningJobs(filter: {
    readonly workerId?: string;
    readonly endpointId?: string;
  }): Promise<readonly Job[]>;
  /** Jobs of an endpoint in any status, by seq. */
  jobsOf(endpointId: string, limit: number): Promise<readonly Job[]>;
  /** Jobs with `dueAt` ≤ now, earliest first. */
  dueJobs(now: number, limit: number): Promise<readonly Job[]>;
  putRecord<K extends RecordKind>(kind: K, id: string, record: Records[K]): Promise<void>;
  /** With an endpoint's record its totals (completed, failed, retried) are forgotten; its jobs stay. */
  deleteRecord(kind: RecordKind, id: string): Promise<void>;
  readonly deliveries: DeliveryTransaction;
}

export interface Store {
  /**
   * Runs `step` in a transaction and resolves with its value once that is durable. Steps run one after another, in the
   * order they were asked for; those of one turn of the event loop share one commit (a burst of more than 1,024 takes
   * several). A step that throws leaves nothing behind and rejects alone, after that commit, for what it refused may rest
   * on what another step of the turn did. A step must await nothing but the transaction, and never another `transact`.
   * When the commit itself fails, all its steps reject and none has happened; the store goes on with the next ones. (Only
   * if the disk failed and the process ends before a later commit may a restart find that such steps did happen.)
   *
   * @throws StoreFullError when there is no room; StoreUnusableError when the disk fails; StoreLostError when the data
   *   directory is not there any more; StoreClosedError after `close`.
   */
  transact<T>(step: (tx: StoreTransaction) => Promise<T>): Promise<T>;
  /** Asks about committed state. */
  read<T>(query: (view: StoreView) => Promise<T>): Promise<T>;
  /**
   * Makes bytes ready to be stored; large ones are written to a file and synced before this resolves. The bytes must not
   * change until the payload is stored. A file no transaction takes is removed by `discard`, else at the next start.
   *
   * @throws StoreFullError when there is no room; StoreUnusableError when the disk fails; StoreLostError when the data
   *   directory is not there any more; StoreClosedError after `close`.
   */
  stage(bytes: Uint8Array): Promise<Payload>;
  /** The same for several payloads that will be stored as chunks of one job: many small ones are a large one. */
  stageChunks(parts: readonly Uint8Array[]): Promise<readonly Payload[]>;
  /** Gives back a staged payload at once; does nothing to one that a committed transaction took. */
  discard(payload: Payload): Promise<void>;
  /**
   * Looks through all that is kept for damage, beside the work of the store, and answers what was found. Then removes what a
   * crash left that nothing refers to. To be called once. Ends early, with nothing found, when the store is closed.
   *
   * @throws StoreDamagedError when more than payloads is damaged; the store does nothing more then. StoreFullError when
   *   there is no room to look.
   */
  check(): Promise<readonly PayloadDamage[]>;
  /** Waits for running transactions and releases everything. Idempotent. */
  close(): Promise<void>;
}

/** Which payload of which job or delivery. */
export interface PayloadPlace {
  readonly seq: number;
  readonly slot: PayloadSlot | "chunks";
}

/** The bytes of one payload are missing, or not those that were stored. All else is as it was. */
export class PayloadDamagedError extends Error {
  override readonly name = "PayloadDamagedError";
  readonly place: PayloadPlace;
  /** That of the bytes that were stored; undefined if nothing is. */
  readonly checksum: number | undefined;

  /** `finding` says what is wrong with it. */
  constructor(
    place: PayloadPlace,
    finding: string,
    { checksum, ...options }: ErrorOptions & { readonly checksum?: number } = {},
  ) {
    super(`the ${WORDS[place.slot]} ${finding}`, options);
    this.place = place;
    this.checksum = checksum;
  }
}

export interface PayloadDamage {
  readonly damage: PayloadDamagedError;
  /** Undefined if it belongs to a webhook delivery. */
  readonly jobId: string | undefined;
}

const WORDS: Readonly<Record<PayloadPlace["slot"], string>> = {
  input: "input",
  output: "output",
  s3Config: "s3Config",
  chunks: "stream",
};
