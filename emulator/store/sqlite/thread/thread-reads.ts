/** The questions of the port, answered by the thread of the store; payload files are read here. */
import type { ChunkBatch, ChunkWindow } from "../../../../runtime/protocol/chunk-batch.ts";
import type { JobWindow } from "../../../core/jobs/job-filter.ts";
import type { JobListing } from "../../../core/jobs/job-listing.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { selectChunks } from "../../chunk-selection.ts";
import { payloadInHand } from "../../payload-in-hand.ts";
import type { ReadablePayload } from "../../payload.ts";
import type { Boot, CountedJobs, FoundJobs, StoreReads } from "../../store.ts";
import { noRecords } from "../../records.ts";
import { PayloadDamagedError, type PayloadPlace, type PayloadSlot } from "../../payload.ts";
import type { Records } from "../../records.ts";
import type { PayloadFiles } from "../files/payload-files.ts";
import type { Soundness } from "../../soundness.ts";
import { wholeLines } from "../tables/chunk-table.ts";
import { jobOf } from "../../rows/job-columns.ts";
import type { Row } from "../../../sqlite/row.ts";
import type { Answers } from "./answers.ts";
import type { ThreadLink } from "./thread-link.ts";

/** As the row has it: undefined in place of bytes that do not fit their checksum. */
interface Found {
  readonly body: Uint8Array | string | undefined;
  readonly sizeBytes: number;
  readonly checksum: number;
}

type StoredFile = Found & { readonly body: string };

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
  protected readonly thread: ThreadLink;
  protected readonly files: PayloadFiles;
  protected readonly soundness: Soundness;

  constructor(thread: ThreadLink, files: PayloadFiles, soundness: Soundness) {
    this.thread = thread;
    this.files = files;
    this.soundness = soundness;
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
    return { ...booted, running: booted.running.map(jobOf), records };
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

  async payload(seq: number, slot: PayloadSlot): Promise<ReadablePayload | undefined> {
    const found = await this.#ask("payload", seq, slot);
    if (found === undefined) return undefined;
    const place = { seq, slot };
    const { body } = found;
    if (typeof body !== "string") return payloadInHand(refuseDamaged(found, place));
    const lying = this.files.payload({ ...found, name: body, offset: 0, place });
    const isNamed = async () => (await this.#ask("payload", seq, slot))?.body === body;
    return {
      sizeBytes: found.sizeBytes,
      bytes: () => unlessGone(() => lying.bytes(), isNamed),
      open: () => unlessGone(() => lying.open(), isNamed),
    };
  }

  async chunks(seq: number, window: ChunkWindow): Promise<readonly ChunkBatch[]> {
    const found = await this.#ask("chunks", seq, window);
    const place = { seq, slot: "chunks" } as const;
    const batches = found.map(async ({ firstIndex, count, ...stored }) => {
      const bytes = await this.#linesOf(stored, place);
      return { firstIndex, count, lines: wholeLines(bytes) };
    });
    try {
      return selectChunks(await Promise.all(batches), window);
    } catch (error) {
      if (!(error instanceof PayloadDamagedError)) throw error;
      await Promise.allSettled(batches);
      const again = await this.#ask("chunks", seq, window);
      if (filesOf(again) === filesOf(found)) throw error;
    }
    // They were replaced or deleted meanwhile.
    return this.chunks(seq, window);
  }

  async isStillStored({ place: { seq, slot }, checksum }: PayloadDamagedError): Promise<boolean> {
    if (slot === "chunks") return this.#ask("hasChunks", seq, checksum);
    return (await this.#ask("payloadChecksum", seq, slot)) === checksum;
  }

  async usage(from = ""): Promise<readonly Records["usage"][]> {
    const texts = await this.#ask("records", "usage", from);
    return texts.map(([, json]) => JSON.parse(json) as Records["usage"]);
  }

  async #linesOf(stored: Found & { readonly offset: number }, place: PayloadPlace) {
    const { body } = stored;
    if (typeof body !== "string") return refuseDamaged(stored, place);
    return this.files.payload({ ...stored, name: body, place }).bytes();
  }

  #ask<K extends keyof Answers>(
    name: K,
    ...asked: Parameters<Answers[K]>
  ): Promise<ReturnType<Answers[K]>> {
    return this.soundness.guard(async () => {
      this.refuseClosed();
      return this.thread.ask(name, ...asked);
    });
  }
}

async function jobsOf(rows: Promise<readonly Row[]>): Promise<readonly Job[]> {
  return (await rows).map(jobOf);
}

/** @throws PayloadDamagedError when the bytes are not those that were stored */
function refuseDamaged({ body, checksum }: Found, place: PayloadPlace): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw new PayloadDamagedError(place, "is damaged: it does not fit its checksum", { checksum });
}

/** What `read` answers of a file; undefined if it is missing or damaged and not what the store has there any more. */
async function unlessGone<T>(
  read: () => Promise<T>,
  isNamed: () => Promise<boolean>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof PayloadDamagedError && !(await isNamed())) return undefined;
    throw error;
  }
}

function filesOf(found: readonly Found[]): string {
  return JSON.stringify(found.filter((one): one is StoredFile => typeof one.body === "string"));
}
