/** What the memory store keeps, each change of which can be taken back. */
import type { ChunkBatch } from "../../../runtime/protocol/chunk-batch.ts";
import { countChange, NO_COUNTS, type JobCounts } from "../../core/jobs/job-counts.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { StepJournal } from "../step-journal.ts";
import type { PayloadSlot, RecordKind, Records } from "../store.ts";
import { JobIndexes } from "./job-indexes.ts";
import { MemoryDeliveries } from "./memory-deliveries.ts";

/** The payloads of one job. */
export interface Bodies {
  readonly slots: Map<PayloadSlot, Uint8Array>;
  chunks: ChunkBatch[];
}

type RecordTables = { readonly [K in RecordKind]: Map<string, Records[K]> };

export class MemoryTables {
  readonly jobs = new Map<number, Job>();
  readonly jobsById = new Map<string, Job>();
  readonly indexes = new JobIndexes();
  readonly bodies = new Map<number, Bodies>();
  readonly records: RecordTables = {
    template: new Map(),
    endpoint: new Map(),
    apiKey: new Map(),
    registryAuth: new Map(),
    served: new Map(),
    servedTemplate: new Map(),
    servedVolume: new Map(),
    clock: new Map(),
    webhookSecret: new Map(),
    networkVolume: new Map(),
    usage: new Map(),
    pod: new Map(),
  };
  readonly deliveries: MemoryDeliveries;
  lastSeq = 0;

  readonly #counts = new Map<string, JobCounts>();
  readonly #journal: StepJournal;

  constructor(journal: StepJournal) {
    this.#journal = journal;
    this.deliveries = new MemoryDeliveries(journal);
  }

  counts(endpointId: string): JobCounts {
    return this.#counts.get(endpointId) ?? NO_COUNTS;
  }

  /** Replaces a job by another; undefined stands for a job that does not exist. */
  changeJob(before: Job | undefined, after: Job | undefined): void {
    const job = after ?? before;
    if (job === undefined) return;
    const counts = this.counts(job.endpointId);
    this.#setJob(before, after);
    this.setCounts(job.endpointId, countChange(counts, before, after));
    this.#journal.onUndo(() => this.#setJob(after, before));
  }

  setCounts(endpointId: string, counts: JobCounts): void {
    this.setIn(this.#counts, endpointId, counts);
  }

  /** Sets or, with undefined, deletes an entry of a map so that it can be taken back. */
  setIn<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
    const before = map.get(key);
    assign(map, key, value);
    this.#journal.onUndo(() => assign(map, key, before));
  }

  /** The payloads of a job, to be changed. */
  bodiesOf(seq: number): Bodies {
    const bodies = this.bodies.get(seq) ?? { slots: new Map(), chunks: [] };
    if (!this.bodies.has(seq)) this.setIn(this.bodies, seq, bodies);
    return bodies;
  }

  addChunks({ chunks }: Bodies, added: ChunkBatch): void {
    chunks.push(added);
    this.#journal.onUndo(() => void chunks.pop());
  }

  clearChunks(bodies: Bodies): void {
    const { chunks } = bodies;
    bodies.chunks = [];
    this.#journal.onUndo(() => {
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

function assign<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
