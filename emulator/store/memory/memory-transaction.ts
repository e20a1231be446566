/** One step on the tables in memory. */
import type { Job } from "../../core/jobs/job.ts";
import {
  chunksOutOfOrder,
  jobAlreadyStored,
  jobNotStored,
  payloadNotStaged,
  stepIsOver,
} from "../caller-defects.ts";
import type {
  Payload,
  PayloadDamagedError,
  PayloadSlot,
  RecordKind,
  Records,
  StagedBatch,
  StoreTransaction,
} from "../store.ts";
import type { DeliveryTransaction } from "../delivery-store.ts";
import { withoutTotals } from "../totals.ts";
import { MemoryView } from "./memory-view.ts";

export class MemoryTransaction extends MemoryView implements StoreTransaction {
  #over = false;

  end(): void {
    this.#over = true;
  }

  async nextSeq(): Promise<number> {
    this.#writable().lastSeq += 1;
    return this.tables.lastSeq;
  }

  async insertJob(job: Job): Promise<void> {
    const tables = this.#writable();
    if (tables.jobs.has(job.seq) || tables.jobsById.has(job.id)) throw jobAlreadyStored(job);
    tables.changeJob(undefined, job);
  }

  async replaceJob(before: Job, after: Job): Promise<void> {
    this.#writable().changeJob(this.#stored(before), after);
  }

  async deleteJob(job: Job): Promise<void> {
    const tables = this.#writable();
    tables.changeJob(this.#stored(job), undefined);
    tables.setIn(tables.bodies, job.seq, undefined);
  }

  async putPayload(seq: number, slot: PayloadSlot, payload: Payload): Promise<void> {
    const tables = this.#writable();
    tables.setIn(tables.bodiesOf(seq).slots, slot, bytesOf(payload));
  }

  async removePayload(seq: number, slot: PayloadSlot): Promise<void> {
    const tables = this.#writable();
    const bodies = tables.bodies.get(seq);
    if (bodies !== undefined) tables.setIn(bodies.slots, slot, undefined);
  }

  async sharePayload(seq: number, slot: PayloadSlot, toSeq: number): Promise<number> {
    const tables = this.#writable();
    const bytes = tables.bodies.get(seq)?.slots.get(slot);
    if (bytes !== undefined) tables.setIn(tables.bodiesOf(toSeq).slots, slot, bytes);
    return bytes?.byteLength ?? 0;
  }

  async appendChunks(seq: number, { firstIndex, count, lines }: StagedBatch): Promise<void> {
    const tables = this.#writable();
    const bodies = tables.bodiesOf(seq);
    const last = bodies.chunks.at(-1);
    const next = last === undefined ? 0 : last.firstIndex + last.count;
    if (next !== firstIndex) throw chunksOutOfOrder(seq, firstIndex);
    tables.addChunks(bodies, { firstIndex, count, lines: bytesOf(lines) });
  }

  /** What is in memory is not compared. */
  async isStillStored({ place: { seq, slot } }: PayloadDamagedError): Promise<boolean> {
    return slot !== "chunks" && (await this.payload(seq, slot)) === undefined;
  }

  async removeChunks(seq: number): Promise<void> {
    const tables = this.#writable();
    const bodies = tables.bodies.get(seq);
    if (bodies !== undefined) tables.clearChunks(bodies);
  }

  async waitingJobs(endpointId: string, limit: number): Promise<readonly Job[]> {
    return this.#jobs(this.tables.indexes.of(endpointId)?.waiting.first(limit));
  }

  async runningJobs(filter: { workerId?: string; endpointId?: string }): Promise<readonly Job[]> {
    const { indexes } = this.tables;
    const searched =
      filter.endpointId === undefined ? [...indexes.each()] : [indexes.of(filter.endpointId)];
    const seqs = searched.flatMap((ofEndpoint) => ofEndpoint?.IN_PROGRESS.first(Infinity) ?? []);
    const jobs = this.#jobs(seqs.toSorted((a, b) => a - b));
    if (filter.workerId === undefined) return jobs;
    return jobs.filter((job) => job.workerId === filter.workerId);
  }

  async jobsOf(endpointId: string, limit: number): Promise<readonly Job[]> {
    return this.#jobs(this.tables.indexes.of(endpointId)?.all.first(limit));
  }

  async dueJobs(now: number, limit: number): Promise<readonly Job[]> {
    return this.#jobs(this.tables.indexes.due.first(limit, now));
  }

  async putRecord<K extends RecordKind>(kind: K, id: string, record: Records[K]): Promise<void> {
    const tables = this.#writable();
    tables.setIn<string, Records[K]>(tables.records[kind], id, record);
  }

  async deleteRecord(kind: RecordKind, id: string): Promise<void> {
    const tables = this.#writable();
    tables.setIn<string, Records[RecordKind]>(tables.records[kind], id, undefined);
    if (kind === "endpoint") tables.setCounts(id, withoutTotals(tables.counts(id)));
  }

  override get deliveries(): DeliveryTransaction {
    return {
      ...super.deliveries,
      insert: async (delivery, frame) => this.#writable().deliveries.insert(delivery, frame),
      replace: async (delivery) => this.#writable().deliveries.replace(delivery),
      firstPending: async (jobId) => this.tables.deliveries.firstPending(jobId),
      prune: async (kept) => {
        const tables = this.#writable();
        for (const seq of tables.deliveries.prune(kept))
          tables.setIn(tables.bodies, seq, undefined);
      },
    };
  }

  #writable() {
    if (this.#over) throw stepIsOver();
    return this.tables;
  }

  #stored(job: Job): Job {
    const stored = this.tables.jobs.get(job.seq);
    if (stored?.id !== job.id || stored.status !== job.status) throw jobNotStored(job);
    return stored;
  }

  #jobs(seqs: readonly number[] = []): Job[] {
    return seqs.flatMap((seq) => this.tables.jobs.get(seq) ?? []);
  }
}

/** A copy: the caller's bytes may be a piece of a larger buffer, or be used again. */
function bytesOf(payload: Payload): Uint8Array {
  if (payload.kind === "file") throw payloadNotStaged(payload.name);
  return new Uint8Array(payload.bytes);
}
