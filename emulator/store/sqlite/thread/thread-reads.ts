/** The queries of the port. The thread of the store answers them; payload files are read here. */
import type { ChunkBatch, ChunkWindow } from "../../../../runtime/protocol/chunk-batch.ts";
import type { JobWindow } from "../../../core/jobs/job-filter.ts";
import type { JobListing } from "../../../core/jobs/job-listing.ts";
import type { Job } from "../../../core/jobs/job.ts";
import {
  type FoundBatch,
  type StoredBytes,
  readBatches,
  readChunks,
  readPayload,
} from "../../stored-bytes.ts";
import type { Boot, CountedJobs, FoundJobs, StoreReads } from "../../store.ts";
import { noRecords } from "../../records.ts";
import type {
  BatchWindow,
  PayloadDamagedError,
  PayloadSlot,
  ReadableBatch,
  ReadablePayload,
} from "../../payload.ts";
import { SLICE_MAX_BYTES } from "../../payload-in-hand.ts";
import type { Records } from "../../records.ts";
import type { PayloadFiles } from "../files/payload-files.ts";
import { Slots } from "../../slots.ts";
import type { DamageGuard } from "../../damage-guard.ts";
import { jobOf } from "../../rows/job-columns.ts";
import type { Row } from "../../../sqlite/row.ts";
import type { Answers } from "./answers.ts";
import { SharedBytes } from "./shared-bytes.ts";
import type { ThreadLink } from "./thread-link.ts";

/** Maximum number of concurrent questions for bodies in rows. */
const BODY_READS_AT_ONCE = 8;

export abstract class ThreadReads implements StoreReads {
  readonly deliveries: StoreReads["deliveries"] = {
    byId: (id) => this.#ask("delivery", id),
    frame: (seq) => this.#ask("deliveryFrame", seq),
    list: (filter, limit, before) => this.#ask("listDeliveries", filter, limit, before),
    due: (now, limit, exceptOrigins) => this.#ask("dueDeliveries", now, limit, exceptOrigins),
    nextTryAt: (after) => this.#ask("nextTryAt", after),
    oldestSettledAt: () => this.#ask("oldestSettledAt"),
    firstPending: (jobId) => this.#ask("firstPending", jobId),
  };
  readonly reports: StoreReads["reports"] = {
    byId: (jobId) => this.#ask("report", jobId),
    list: (filter, limit) => this.#ask("listReports", filter, limit),
    oldestDeletedAt: () => this.#ask("oldestReportAt"),
  };
  readonly #storedBytes: StoredBytes = {
    payload: (seq, slot) => this.#askBodies("payload", seq, slot),
    chunks: async (seq, window) => {
      const found = await this.#askBodies("chunks", seq, window);
      return found.map((batch) => this.#shared(seq, batch));
    },
    file: (content) => this.files.payload(content),
  };
  readonly #sharedBytes = new SharedBytes();
  readonly #bodyReads = new Slots(BODY_READS_AT_ONCE);
  protected readonly thread: ThreadLink;
  protected readonly files: PayloadFiles;
  protected readonly damageGuard: DamageGuard;

  constructor(thread: ThreadLink, files: PayloadFiles, damageGuard: DamageGuard) {
    this.thread = thread;
    this.files = files;
    this.damageGuard = damageGuard;
  }

  /** @throws StoreClosedError */
  protected abstract refuseClosed(): void;

  async boot(): Promise<Boot> {
    const { usage: _, ...records } = noRecords();
    const kinds = Object.keys(records) as (keyof typeof records)[];
    const booted = await this.#ask("boot", kinds);
    for (const [kind, found] of booted.records) {
      const byId: Map<string, unknown> = records[kind];
      for (const [id, json] of found) byId.set(id, JSON.parse(json));
    }
    return { ...booted, running: booted.running.map(jobOf), records, recordsVersion: 0 };
  }

  async job(id: string): Promise<Job | undefined> {
    const row = await this.#ask("job", id);
    return row && jobOf(row);
  }

  listJobs(endpointId: string, listing: JobListing): Promise<readonly Job[]> {
    return jobsOf(this.#ask("listJobs", endpointId, listing));
  }

  async findJobs(window: JobWindow): Promise<FoundJobs> {
    const { rows, nextSeq } = await this.#ask("findJobs", window);
    return { jobs: rows.map(jobOf), nextSeq };
  }

  countJobs(window: JobWindow): Promise<CountedJobs> {
    return this.#ask("countJobs", window);
  }

  jobsOf(endpointId: string, after: number, limit: number): Promise<readonly Job[]> {
    return jobsOf(this.#ask("jobsOf", endpointId, after, limit));
  }

  waitingJobs(endpointId: string, after: number, limit: number): Promise<readonly Job[]> {
    return jobsOf(this.#ask("waitingJobs", endpointId, after, limit));
  }

  dueJobs(now: number, limit: number): Promise<readonly Job[]> {
    return jobsOf(this.#ask("dueJobs", now, limit));
  }

  nextDueAt(): Promise<number | undefined> {
    return this.#ask("nextDueAt");
  }

  oldestScalingQueuedAt(endpointId: string): Promise<number | undefined> {
    return this.#ask("oldestScalingQueuedAt", endpointId);
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

  async isStillStored({ place: { seq, slot }, checksum }: PayloadDamagedError): Promise<boolean> {
    if (slot === "chunks") return this.#ask("hasChunks", seq, checksum);
    return (await this.#ask("payloadChecksum", seq, slot)) === checksum;
  }

  async usage(from = "", limit?: number): Promise<readonly Records["usage"][]> {
    const texts = await this.#ask("records", "usage", from, limit);
    return texts.map(([, json]) => JSON.parse(json) as Records["usage"]);
  }

  /** Lets a batch in a large row share the memory of other readers. */
  #shared<T extends FoundBatch>(seq: number, batch: T): T {
    const { body, firstIndex, count, checksum } = batch;
    if (!(body instanceof Uint8Array) || body.byteLength <= SLICE_MAX_BYTES) return batch;
    const key = [seq, firstIndex, count, checksum].join(" ");
    return { ...batch, body: this.#sharedBytes.of(key, body) };
  }

  /** Asks for a few bodies at a time. Otherwise the answers to many readers would all be in memory at once. */
  async #askBodies<K extends "payload" | "chunks">(
    name: K,
    ...asked: Parameters<Answers[K]>
  ): Promise<ReturnType<Answers[K]>> {
    using _ = await this.#bodyReads.take();
    return await this.#ask(name, ...asked);
  }

  #ask<K extends keyof Answers>(
    name: K,
    ...asked: Parameters<Answers[K]>
  ): Promise<ReturnType<Answers[K]>> {
    return this.damageGuard.guard(async () => {
      this.refuseClosed();
      return this.thread.ask(name, ...asked);
    });
  }
}

async function jobsOf(rows: Promise<readonly Row[]>): Promise<readonly Job[]> {
  return (await rows).map(jobOf);
}
