/** The queries of the port. Each has its own connection. */
import type { ChunkBatch, ChunkWindow } from "../../../../runtime/protocol/chunk-batch.ts";
import type { JobWindow } from "../../../core/jobs/job-filter.ts";
import type { JobListing } from "../../../core/jobs/job-listing.ts";
import type { Job } from "../../../core/jobs/job.ts";
import {
  type FileContent,
  type StoredBytes,
  readBatches,
  readChunks,
  readPayload,
} from "../../stored-bytes.ts";
import type {
  BatchWindow,
  PayloadDamagedError,
  PayloadSlot,
  ReadableBatch,
  ReadablePayload,
} from "../../payload.ts";
import type { Records } from "../../records.ts";
import type { CountedJobs, FoundJobs, StoreReads } from "../../store.ts";
import { comparedBody } from "../../rows/payload-columns.ts";
import type { Ask, Session } from "../connect/session.ts";
import type { Pages } from "../options.ts";
import type { Queues } from "../writes/queues.ts";
import { recordTexts } from "./boot-reads.ts";
import { deliveryReads } from "./delivery-reads.ts";
import { JobReads } from "./job-reads.ts";
import { JobSearch } from "./job-search.ts";
import { chunksAround, hasChunks, payloadAt, payloadChecksumAt } from "./payload-reads.ts";
import { reportReads } from "./report-reads.ts";

/** The share of this process in the store. */
export interface Scope {
  readonly partitions: () => readonly number[];
  /** Maximum difference between the service times of replicas. */
  readonly skewMs: number;
  readonly pages: Pages;
}

export abstract class PostgresReads implements StoreReads {
  readonly deliveries: StoreReads["deliveries"];
  readonly reports: StoreReads["reports"];
  readonly #storedBytes: StoredBytes = {
    payload: async (seq, slot) => {
      const found = await this.ask((session) => payloadAt(session, seq, slot));
      return found && comparedBody(found);
    },
    chunks: async (seq, window) =>
      (await this.ask((session) => chunksAround(session, seq, window))).map(comparedBody),
    file: (content) => this.file(content),
  };
  protected readonly jobReads: JobReads;
  readonly #search: JobSearch;

  constructor(queues: Queues, scope: Scope) {
    const ask: Ask = (question) => this.ask(question);
    this.deliveries = deliveryReads(ask, scope.partitions);
    this.reports = reportReads(ask, scope.partitions);
    this.jobReads = new JobReads(queues, scope.partitions);
    this.#search = new JobSearch(queues, scope.skewMs, scope.pages.searched);
  }

  /** Runs a question on a connection that no other question uses meanwhile. */
  protected abstract ask<T>(question: (session: Session) => Promise<T>): Promise<T>;

  /** Reads content in the bucket. */
  protected abstract file(content: FileContent): ReturnType<StoredBytes["file"]>;

  job(id: string): Promise<Job | undefined> {
    return this.ask((session) => this.jobReads.byId(session, id));
  }

  listJobs(endpointId: string, listing: JobListing): Promise<readonly Job[]> {
    return this.ask((session) => this.jobReads.listed(session, endpointId, listing));
  }

  findJobs(window: JobWindow): Promise<FoundJobs> {
    return this.ask(async (session) => {
      // The scan and the read see the same snapshot.
      await session.ask({ text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" });
      const { seqs, nextSeq } = await this.#search.scan(session, window);
      const jobs = await this.jobReads.bySeqs(session, seqs);
      await session.ask({ text: "COMMIT" });
      return { jobs, nextSeq };
    });
  }

  countJobs(window: JobWindow): Promise<CountedJobs> {
    return this.ask(async (session) => {
      const { seqs, nextSeq } = await this.#search.scan(session, window);
      return { count: seqs.length, nextSeq };
    });
  }

  jobsOf(endpointId: string, after: number, limit: number): Promise<readonly Job[]> {
    return this.ask((session) => this.jobReads.ofEndpoint(session, endpointId, after, limit));
  }

  waitingJobs(endpointId: string, after: number, limit: number): Promise<readonly Job[]> {
    return this.ask((session) => this.jobReads.waiting(session, endpointId, after, limit));
  }

  dueJobs(now: number, limit: number): Promise<readonly Job[]> {
    return this.ask((session) => this.jobReads.due(session, now, limit));
  }

  nextDueAt(): Promise<number | undefined> {
    return this.ask((session) => this.jobReads.nextDueAt(session));
  }

  oldestScalingQueuedAt(endpointId: string): Promise<number | undefined> {
    return this.ask((session) => this.jobReads.oldestScalingQueuedAt(session, endpointId));
  }

  payload(seq: number, slot: PayloadSlot): Promise<ReadablePayload | undefined> {
    return readPayload(this.#storedBytes, seq, slot);
  }

  chunks(seq: number, window: ChunkWindow): Promise<readonly ChunkBatch[]> {
    return readChunks(this.#storedBytes, seq, window);
  }

  chunkBatches(seq: number, window: BatchWindow): Promise<readonly ReadableBatch[]> {
    return readBatches(this.#storedBytes, seq, window);
  }

  isStillStored({ place: { seq, slot }, checksum }: PayloadDamagedError): Promise<boolean> {
    return this.ask(async (session) => {
      if (slot === "chunks") return hasChunks(session, seq, checksum);
      return (await payloadChecksumAt(session, seq, slot)) === checksum;
    });
  }

  async usage(from = "", limit?: number): Promise<readonly Records["usage"][]> {
    const texts = await this.ask((session) => recordTexts(session, "usage", from, limit));
    return texts.map(([, json]) => JSON.parse(json) as Records["usage"]);
  }
}
