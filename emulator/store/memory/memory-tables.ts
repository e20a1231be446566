/** The data of the memory store. Each change can be undone. */
import type { ChunkBatch } from "../../../runtime/protocol/chunk-batch.ts";
import type { JobCounts } from "../../core/jobs/job-counts.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Journal } from "../../core/undo-journal.ts";
import { noRecords } from "../records.ts";
import type { PayloadSlot } from "../payload.ts";
import { JobIndexes } from "./job-indexes.ts";
import { MemoryDeliveries } from "./memory-deliveries.ts";
import { MemoryReports } from "./memory-reports.ts";

export interface Bodies {
  readonly slots: Map<PayloadSlot, Uint8Array>;
  chunks: ChunkBatch[];
}

export class MemoryTables {
  readonly jobs = new Map<number, Job>();
  readonly jobsById = new Map<string, Job>();
  readonly indexes = new JobIndexes();
  readonly bodies = new Map<number, Bodies>();
  readonly records = noRecords();
  readonly deliveries: MemoryDeliveries;
  readonly reports: MemoryReports;
  readonly journal: Journal;
  lastSeq = 0;

  readonly #counts = new Map<string, JobCounts>();

  constructor(journal: Journal) {
    this.journal = journal;
    this.deliveries = new MemoryDeliveries(journal);
    this.reports = new MemoryReports(journal);
  }

  /** Replaces a job. An undefined `before` adds the job; an undefined `after` deletes it. */
  setJob(before: Job | undefined, after: Job | undefined): void {
    this.#setJob(before, after);
    this.journal.undos.push(() => this.#setJob(after, before));
  }

  allCounts(): ReadonlyMap<string, JobCounts> {
    return new Map(this.#counts);
  }

  setCounts(endpointId: string, counts: JobCounts): void {
    this.journal.set(this.#counts, endpointId, counts);
  }

  bodiesOf(seq: number): Bodies {
    const bodies = this.bodies.get(seq) ?? { slots: new Map(), chunks: [] };
    if (!this.bodies.has(seq)) this.journal.set(this.bodies, seq, bodies);
    return bodies;
  }

  addChunks({ chunks }: Bodies, added: ChunkBatch): void {
    chunks.push(added);
    this.journal.undos.push(() => void chunks.pop());
  }

  clearChunks(bodies: Bodies): void {
    const { chunks } = bodies;
    bodies.chunks = [];
    this.journal.undos.push(() => {
      bodies.chunks = chunks;
    });
  }

  #setJob(before: Job | undefined, after: Job | undefined): void {
    if (before !== undefined && after === undefined) {
      this.jobs.delete(before.seq);
      this.jobsById.delete(before.id);
    }
    if (after !== undefined) {
      this.jobs.set(after.seq, after);
      this.jobsById.set(after.id, after);
    }
    this.indexes.move(before, after);
  }
}
