/** The queries of the port. The thread of the store answers them; payload files are read here. */
import type { JobWindow } from "../../../core/jobs/job-filter.ts";
import type { JobListing } from "../../../core/jobs/job-listing.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { freeAlone } from "../../../core/jobs/free-memory.ts";
import type { Row } from "../../../sqlite/row.ts";
import type { DamageGuard } from "../../damage-guard.ts";
import { SLICE_MAX_BYTES } from "../../payload-in-hand.ts";
import type { PayloadDamagedError } from "../../payload.ts";
import { parsedRecords, type Records } from "../../records.ts";
import { jobOf } from "../../rows/job-columns.ts";
import { Slots } from "../../slots.ts";
import type { Boot, CountedJobs, FoundJobs, StoreReads } from "../../store.ts";
import { BodyReads, type FoundBatch, type StoredBytes } from "../../stored-bytes.ts";
import type { PayloadFiles } from "../files/payload-files.ts";
import type { Answers } from "./answers.ts";
import type { ThreadLink } from "./thread-link.ts";

/** Maximum number of concurrent questions for bodies in rows. */
const BODY_READS_AT_ONCE = 8;

export abstract class ThreadReads extends BodyReads implements StoreReads {
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
  protected readonly storedBytes: StoredBytes = {
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
    super();
    this.thread = thread;
    this.files = files;
    this.damageGuard = damageGuard;
  }

  /** @throws StoreClosedError */
  protected abstract refuseClosed(): void;

  async boot(): Promise<Boot> {
    const { texts, running, ...booted } = await this.#ask("boot");
    const records = await parsedRecords(async (kind) => texts.get(kind) ?? []);
    return { ...booted, running: running.map(jobOf), records, recordsVersion: 0 };
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

/** Lets concurrent readers of a large row share its memory. */
class SharedBytes {
  readonly #known = new Map<string, WeakRef<ArrayBuffer>>();
  readonly #collected = new FinalizationRegistry<string>((key) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });

  /**
   * Returns the bytes that readers already have under `key`. If there are none, returns `bytes` and shares it with later readers.
   * Nothing else may refer to `bytes`.
   */
  of(key: string, bytes: Uint8Array): Uint8Array {
    const { buffer } = bytes;
    if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== bytes.byteLength) return bytes;
    const known = this.#known.get(key)?.deref();
    if (known?.byteLength === buffer.byteLength) {
      freeAlone(bytes);
      return new Uint8Array(known);
    }
    this.#known.set(key, new WeakRef(buffer));
    this.#collected.register(buffer, key);
    return bytes;
  }
}
