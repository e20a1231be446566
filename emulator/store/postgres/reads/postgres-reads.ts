/** The queries of the port. Each has its own connection. */
import type { JobWindow } from "../../../core/jobs/job-filter.ts";
import type { JobListing } from "../../../core/jobs/job-listing.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { optionalIntegerAt } from "../../../sqlite/row.ts";
import type { PayloadDamagedError } from "../../payload.ts";
import type { Records } from "../../records.ts";
import { STATUS_NUMBERS } from "../../rows/job-columns.ts";
import { comparedBody } from "../../rows/payload-columns.ts";
import type { CountedJobs, FoundJobs, StoreReads } from "../../store.ts";
import { BodyReads, type FileContent, type StoredBytes } from "../../stored-bytes.ts";
import type { Ask, Session } from "../connect/session.ts";
import { bound, listOf } from "../values/columns.ts";
import { textToBytes } from "../values/stored-text.ts";
import type { Queues } from "../writes/queues.ts";
import { recordTexts } from "./boot-reads.ts";
import { deliveryReads } from "./delivery-reads.ts";
import { JOB_QUESTIONS, readJobs } from "./job-reads.ts";
import { JobSearch } from "./job-search.ts";
import { chunksAround, hasChunks, payloadAt, payloadChecksumAt } from "./payload-reads.ts";
import { reportReads } from "./report-reads.ts";

/** The share of this process in the store. */
export interface Scope {
  readonly partitions: () => readonly number[];
  /** Maximum difference between the service times of replicas. */
  readonly skewMs: number;
  /** Maximum number of jobs of one query that searches failures. */
  readonly searchPage: number;
}

type JobQuestion = keyof typeof JOB_QUESTIONS;

export abstract class PostgresReads extends BodyReads implements StoreReads {
  readonly deliveries: StoreReads["deliveries"];
  readonly reports: StoreReads["reports"];
  protected readonly storedBytes: StoredBytes = {
    payload: async (seq, slot) => {
      const found = await this.ask((session) => payloadAt(session, seq, slot));
      return found && comparedBody(found);
    },
    chunks: async (seq, window) =>
      (await this.ask((session) => chunksAround(session, seq, window))).map(comparedBody),
    file: (content) => this.file(content),
  };
  readonly #queues: Queues;
  readonly #scope: Scope;
  readonly #search: JobSearch;

  constructor(queues: Queues, scope: Scope) {
    super();
    const ask: Ask = (question) => this.ask(question);
    this.deliveries = deliveryReads(ask, scope.partitions);
    this.reports = reportReads(ask, scope.partitions);
    this.#queues = queues;
    this.#scope = scope;
    this.#search = new JobSearch(queues, scope.skewMs, scope.searchPage);
  }

  /** Runs a question on a connection that no other question uses meanwhile. */
  protected abstract ask<T>(question: (session: Session) => Promise<T>): Promise<T>;

  /** Reads content in the bucket. */
  protected abstract file(content: FileContent): ReturnType<StoredBytes["file"]>;

  async job(id: string): Promise<Job | undefined> {
    const [job] = await this.ask((session) => this.#jobs(session, "job-by-id", [textToBytes(id)]));
    return job;
  }

  listJobs(endpointId: string, { status, beforeSeq, limit }: JobListing): Promise<readonly Job[]> {
    const rest = [bound(beforeSeq ?? Number.MAX_SAFE_INTEGER), bound(limit)];
    if (status === undefined) return this.#ofQueue("newest-jobs", endpointId, rest);
    return this.#ofQueue("newest-jobs-of-status", endpointId, [STATUS_NUMBERS[status], ...rest]);
  }

  findJobs(window: JobWindow): Promise<FoundJobs> {
    return this.ask(async (session) => {
      // The scan and the read see the same snapshot.
      await session.ask({ text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" });
      const { seqs, nextSeq } = await this.#search.scan(session, window);
      const found = await this.#jobs(session, "jobs-by-seq", [listOf("integer", seqs)]);
      await session.ask({ text: "COMMIT" });
      const bySeq = new Map(found.map((job) => [job.seq, job]));
      return { jobs: seqs.flatMap((seq) => bySeq.get(seq) ?? []), nextSeq };
    });
  }

  countJobs(window: JobWindow): Promise<CountedJobs> {
    return this.ask(async (session) => {
      const { seqs, nextSeq } = await this.#search.scan(session, window);
      return { count: seqs.length, nextSeq };
    });
  }

  jobsOf(endpointId: string, after: number, limit: number): Promise<readonly Job[]> {
    return this.#ofQueue("jobs-of-endpoint", endpointId, [bound(after), bound(limit)]);
  }

  waitingJobs(endpointId: string, after: number, limit: number): Promise<readonly Job[]> {
    return this.#ofQueue("waiting-jobs", endpointId, [bound(after), bound(limit)]);
  }

  dueJobs(now: number, limit: number): Promise<readonly Job[]> {
    const values = [bound(now), bound(limit), this.#partitions()];
    return this.ask((session) => this.#jobs(session, "due-jobs", values));
  }

  nextDueAt(): Promise<number | undefined> {
    return this.ask((session) => number(session, "next-due", [this.#partitions()]));
  }

  oldestScalingQueuedAt(endpointId: string): Promise<number | undefined> {
    return this.ask(async (session) => {
      const queue = await this.#queues.keyOf(session, endpointId);
      return queue === undefined ? undefined : number(session, "oldest-scaling", [queue]);
    });
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

  #jobs(session: Session, name: JobQuestion, values: readonly unknown[]): Promise<readonly Job[]> {
    return readJobs(session, this.#queues, { name, text: JOB_QUESTIONS[name], values });
  }

  #ofQueue(name: JobQuestion, endpointId: string, values: readonly unknown[]) {
    return this.ask(async (session) => {
      const queue = await this.#queues.keyOf(session, endpointId);
      return queue === undefined ? [] : this.#jobs(session, name, [queue, ...values]);
    });
  }

  #partitions() {
    return listOf("integer", this.#queues.among(this.#scope.partitions()));
  }
}

async function number(session: Session, name: JobQuestion, values: readonly unknown[]) {
  const { rows } = await session.ask({ name, text: JOB_QUESTIONS[name], values });
  return rows[0] && optionalIntegerAt(rows[0], 0);
}
