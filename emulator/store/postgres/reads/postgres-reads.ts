/** The questions of the port, each on a connection for itself. */
import type { ChunkBatch, ChunkWindow } from "../../../../runtime/protocol/chunk-batch.ts";
import type { JobWindow } from "../../../core/jobs/job-filter.ts";
import type { JobListing } from "../../../core/jobs/job-listing.ts";
import type { Job } from "../../../core/jobs/job.ts";
import {
  type FileContent,
  type LyingBytes,
  readBatches,
  readChunks,
  readPayload,
} from "../../lying-bytes.ts";
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
import { SERVICE_PART } from "../claim/parts.ts";
import type { Session } from "../connect/session.ts";
import type { Pages } from "../options.ts";
import type { Queues } from "../writes/queues.ts";
import { recordTexts } from "./boot-reads.ts";
import * as deliveries from "./delivery-reads.ts";
import { JobReads } from "./job-reads.ts";
import { JobSearch } from "./job-search.ts";
import { chunksAround, hasChunks, payloadAt, payloadChecksumAt } from "./payload-reads.ts";
import * as reports from "./report-reads.ts";

/** The share of this process in the store. */
export interface Scope {
  readonly parts: () => readonly number[];
  /** Maximum difference between the service times of replicas. */
  readonly skewMs: number;
  readonly pages: Pages;
}

export abstract class PostgresReads implements StoreReads {
  readonly deliveries: StoreReads["deliveries"] = {
    byId: (id) => this.ask((session) => deliveries.deliveryById(session, id)),
    frame: (seq) => this.ask((session) => deliveries.frameOf(session, seq)),
    list: (filter, limit, before) =>
      this.ask((session) => deliveries.listDeliveries(session, filter, limit, before)),
    due: (now, limit, exceptOrigins) =>
      this.ask((session) =>
        deliveries.dueDeliveries(session, now, limit, exceptOrigins, this.#scope.parts()),
      ),
    nextTryAt: (after) =>
      this.ask((session) => deliveries.nextTryAt(session, after, this.#scope.parts())),
    oldestSettledAt: async () =>
      this.#decidesForService ? this.ask(deliveries.oldestSettledAt) : undefined,
    firstPending: (jobId) =>
      this.ask((session) => deliveries.firstPending(session, jobId, this.#scope.parts())),
  };
  readonly reports: StoreReads["reports"] = {
    byId: (jobId) => this.ask((session) => reports.reportById(session, jobId)),
    list: (filter, limit) => this.ask((session) => reports.listReports(session, filter, limit)),
    oldestDeletedAt: async () =>
      this.#decidesForService ? this.ask(reports.oldestReportAt) : undefined,
  };
  readonly #lying: LyingBytes = {
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
  readonly #scope: Scope;

  constructor(queues: Queues, scope: Scope) {
    this.#scope = scope;
    this.jobReads = new JobReads(queues, scope.parts);
    this.#search = new JobSearch(queues, scope.skewMs, scope.pages.searched);
  }

  get #decidesForService(): boolean {
    return this.#scope.parts().includes(SERVICE_PART);
  }

  /** Answers a question on a connection that no other question uses meanwhile. */
  protected abstract ask<T>(question: (session: Session) => Promise<T>): Promise<T>;

  /** Reads content in the bucket. */
  protected abstract file(content: FileContent): ReturnType<LyingBytes["file"]>;

  job(id: string): Promise<Job | undefined> {
    return this.ask((session) => this.jobReads.byId(session, id));
  }

  listJobs(endpointId: string, listing: JobListing): Promise<readonly Job[]> {
    return this.ask((session) => this.jobReads.listed(session, endpointId, listing));
  }

  findJobs(window: JobWindow): Promise<FoundJobs> {
    return this.ask(async (session) => {
      // The scan and the read see the same moment.
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
    return readPayload(this.#lying, seq, slot);
  }

  chunks(seq: number, window: ChunkWindow): Promise<readonly ChunkBatch[]> {
    return readChunks(this.#lying, seq, window);
  }

  chunkBatches(seq: number, window: BatchWindow): Promise<readonly ReadableBatch[]> {
    return readBatches(this.#lying, seq, window);
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
