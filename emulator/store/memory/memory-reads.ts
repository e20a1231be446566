/** Runs the queries of the port on tables in memory. */
import { Buffer } from "node:buffer";
import type { ChunkBatch, ChunkWindow } from "../../../runtime/protocol/chunk-batch.ts";
import type { JobWindow } from "../../core/jobs/job-filter.ts";
import type { JobListing } from "../../core/jobs/job-listing.ts";
import { dueAt } from "../../core/jobs/job-due.ts";
import type { Job } from "../../core/jobs/job.ts";
import { StoreClosedError } from "../../core/store-error.ts";
import { selectChunks } from "../stored-bytes.ts";
import { JobScan, rangeOf } from "../job-scan.ts";
import { payloadInHand } from "../payload-in-hand.ts";
import type {
  BatchWindow,
  PayloadDamagedError,
  PayloadSlot,
  ReadableBatch,
  ReadablePayload,
} from "../payload.ts";
import type { Boot, CountedJobs, FoundJobs, StoreReads } from "../store.ts";
import { noRecords, type Records } from "../records.ts";
import type { MemoryTables } from "./memory-tables.ts";

export class MemoryReads implements StoreReads {
  readonly deliveries: StoreReads["deliveries"] = {
    byId: async (id) => this.tables.deliveries.byId(id),
    frame: async (seq) => this.tables.deliveries.frame(seq),
    list: async (filter, limit, before) => this.tables.deliveries.list(filter, limit, before),
    due: async (now, limit, except) => this.tables.deliveries.due(now, limit, except),
    nextTryAt: async (after) => this.tables.deliveries.nextTryAt(after),
    oldestSettledAt: async () => this.tables.deliveries.oldestSettledAt(),
    firstPending: async (jobId) => this.tables.deliveries.firstPending(jobId),
  };
  readonly reports: StoreReads["reports"] = {
    byId: async (jobId) => this.tables.reports.byId(jobId),
    list: async (filter, limit) => this.tables.reports.list(filter, limit),
    oldestDeletedAt: async () => this.tables.reports.oldestDeletedAt(),
  };
  protected isClosed = false;
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  async bootWith(batch: number): Promise<Boot> {
    const { indexes, lastSeq } = this.tables;
    const seqs = [...indexes.each()].flatMap((own) => own.IN_PROGRESS.first(Infinity));
    const running = this.#jobs(seqs.toSorted((a, b) => a - b));
    const { usage: _, ...records } = noRecords();
    for (const kind of Object.keys(records) as (keyof typeof records)[])
      copyRecords(this.tables.records[kind], records[kind]);
    const counts = this.tables.allCounts();
    return { batch, lastSeq, counts, running, records, recordsVersion: 0 };
  }

  async job(id: string): Promise<Job | undefined> {
    return this.tables.jobsById.get(id);
  }

  async listJobs(endpointId: string, listing: JobListing): Promise<readonly Job[]> {
    const places = this.tables.indexes.of(endpointId)?.[listing.status ?? "all"];
    return this.#jobs(places?.last(listing.limit, listing.beforeSeq));
  }

  async findJobs(window: JobWindow): Promise<FoundJobs> {
    const { seqs, nextSeq } = this.#scan(window);
    return { jobs: this.#jobs(seqs), nextSeq };
  }

  async countJobs(window: JobWindow): Promise<CountedJobs> {
    const { seqs, nextSeq } = this.#scan(window);
    return { count: seqs.length, nextSeq };
  }

  async jobsOf(endpointId: string, after: number, limit: number): Promise<readonly Job[]> {
    return this.#jobs(this.tables.indexes.of(endpointId)?.all.firstKeysAbove(after, limit));
  }

  async waitingJobs(endpointId: string, after: number, limit: number): Promise<readonly Job[]> {
    const waiting = this.tables.indexes.of(endpointId)?.waiting;
    return this.#jobs(waiting?.firstKeysAbove(after, limit));
  }

  async dueJobs(now: number, limit: number): Promise<readonly Job[]> {
    return [...this.#dueAtRest(now).take(limit)];
  }

  async nextDueAt(): Promise<number | undefined> {
    const [first] = this.#dueAtRest(Number.POSITIVE_INFINITY).take(1);
    return first && dueAt(first);
  }

  async oldestScalingQueuedAt(endpointId: string): Promise<number | undefined> {
    return this.tables.indexes.of(endpointId)?.scaling.firstAt();
  }

  async payload(seq: number, slot: PayloadSlot): Promise<ReadablePayload | undefined> {
    const bytes = this.tables.bodies.get(seq)?.slots.get(slot);
    return bytes && payloadInHand(bytes);
  }

  async chunks(seq: number, window: ChunkWindow): Promise<readonly ChunkBatch[]> {
    const stored = this.tables.bodies.get(seq)?.chunks ?? [];
    const first = stored.findLastIndex(({ firstIndex }) => firstIndex <= window.from);
    return selectChunks(stored.slice(Math.max(0, first)), window);
  }

  async chunkBatches(seq: number, window: BatchWindow): Promise<readonly ReadableBatch[]> {
    const batches = await this.chunks(seq, window);
    return batches.map((batch) => ({ ...batch, lines: payloadInHand(batch.lines) }));
  }

  /** Payloads in memory have no checksum to compare. */
  async isStillStored({ place: { seq, slot } }: PayloadDamagedError): Promise<boolean> {
    return slot !== "chunks" && (await this.payload(seq, slot)) === undefined;
  }

  async usage(from = "", limit = Infinity): Promise<readonly Records["usage"][]> {
    const entries = [...this.tables.records.usage].filter(([id]) => compareUtf8(id, from) >= 0);
    const sorted = entries.toSorted(([a], [b]) => compareUtf8(a, b));
    return sorted.slice(0, limit).map(([, record]) => record);
  }

  /** @throws StoreClosedError */
  protected get tables(): MemoryTables {
    if (this.isClosed) throw new StoreClosedError();
    return this.#tables;
  }

  #scan(window: JobWindow): JobScan {
    const scan = new JobScan(window);
    const { indexes, jobs, lastSeq } = this.tables;
    const { endpointId } = window.filter;
    const newestBelow = (end: number) => jobs.get(indexes.all.last(1, end)[0] ?? 0);
    const { first, end } = rangeOf(window, lastSeq, newestBelow);
    const places = endpointId === undefined ? indexes.all : indexes.of(endpointId)?.all;
    for (const seq of places?.last(window.maxLooked, end) ?? []) {
      const job = jobs.get(seq);
      if (seq < first || job === undefined || !scan.look(seq, job)) break;
    }
    return scan;
  }

  /** Jobs that do not run, the earliest due first. */
  *#dueAtRest(now: number): Generator<Job, void, undefined> {
    const { jobs, indexes } = this.tables;
    for (const seq of indexes.due.keys(now)) {
      const job = jobs.get(seq);
      if (job !== undefined && job.status !== "IN_PROGRESS") yield job;
    }
  }

  #jobs(seqs: readonly number[] = []): Job[] {
    return seqs.flatMap((seq) => this.tables.jobs.get(seq) ?? []);
  }
}

function copyRecords(from: ReadonlyMap<string, unknown>, to: Map<string, unknown>): void {
  for (const [id, record] of from) to.set(id, record);
}

/** Orders texts as a database does. JavaScript orders rare characters differently. */
function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
