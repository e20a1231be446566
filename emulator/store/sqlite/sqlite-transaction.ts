/** One step on the database. */
import type { Job } from "../../core/jobs/job.ts";
import type { DeliveryTransaction } from "../delivery-store.ts";
import { stepIsOver } from "../caller-defects.ts";
import type {
  Payload,
  PayloadDamagedError,
  PayloadSlot,
  RecordKind,
  Records,
  StagedBatch,
  StoreTransaction,
} from "../store.ts";
import { withoutTotals } from "../totals.ts";
import { SqliteView } from "./sqlite-view.ts";

export class SqliteTransaction extends SqliteView implements StoreTransaction {
  #over = false;

  override end(): void {
    this.#over = true;
    super.end();
  }

  async nextSeq(): Promise<number> {
    return this.#writable().sequence.next();
  }

  async insertJob(job: Job): Promise<void> {
    this.#writable().jobs.insert(job);
  }

  async replaceJob(before: Job, after: Job): Promise<void> {
    this.#writable().jobs.replace(before, after);
  }

  async deleteJob(job: Job): Promise<void> {
    const { jobs, payloads, chunks } = this.#writable();
    jobs.delete(job);
    payloads.removeAll(job.seq);
    chunks.removeAll(job.seq);
  }

  async putPayload(seq: number, slot: PayloadSlot, payload: Payload): Promise<void> {
    this.#writable().payloads.put(seq, slot, payload);
  }

  async removePayload(seq: number, slot: PayloadSlot): Promise<void> {
    this.#writable().payloads.remove(seq, slot);
  }

  async sharePayload(seq: number, slot: PayloadSlot, toSeq: number): Promise<number> {
    return this.#writable().payloads.share(seq, slot, toSeq);
  }

  async appendChunks(seq: number, batch: StagedBatch): Promise<void> {
    this.#writable().chunks.append(seq, batch);
  }

  async removeChunks(seq: number): Promise<void> {
    this.#writable().chunks.removeAll(seq);
  }

  async isStillStored({ place, checksum }: PayloadDamagedError): Promise<boolean> {
    const { seq, slot } = place;
    const { payloads, chunks } = this.tables;
    if (slot !== "chunks") return payloads.get(seq, slot)?.checksum === checksum;
    return chunks.has(seq, checksum);
  }

  async waitingJobs(endpointId: string, limit: number): Promise<readonly Job[]> {
    return this.tables.jobs.waiting(endpointId, limit);
  }

  async runningJobs(filter: {
    readonly workerId?: string;
    readonly endpointId?: string;
  }): Promise<readonly Job[]> {
    const jobs = this.tables.jobs.running(filter.workerId);
    if (filter.endpointId === undefined) return jobs;
    return jobs.filter((job) => job.endpointId === filter.endpointId);
  }

  async jobsOf(endpointId: string, limit: number): Promise<readonly Job[]> {
    return this.tables.jobs.ofEndpoint(endpointId, limit);
  }

  async dueJobs(now: number, limit: number): Promise<readonly Job[]> {
    return this.tables.jobs.due(now, limit);
  }

  async putRecord<K extends RecordKind>(kind: K, id: string, record: Records[K]): Promise<void> {
    this.#writable().records.put(kind, id, record);
  }

  async deleteRecord(kind: RecordKind, id: string): Promise<void> {
    const { records, queues } = this.#writable();
    records.delete(kind, id);
    if (kind === "endpoint") queues.setCounts(id, withoutTotals(queues.counts(id)));
  }

  override get deliveries(): DeliveryTransaction {
    return {
      ...super.deliveries,
      insert: async (delivery, frame) => this.#writable().deliveries.insert(delivery, frame),
      replace: async (delivery) => this.#writable().deliveries.replace(delivery),
      firstPending: async (jobId) => this.tables.deliveries.firstPending(jobId),
      prune: async (kept) => {
        const { deliveries, payloads } = this.#writable();
        for (const seq of deliveries.prune(kept)) payloads.removeAll(seq);
      },
    };
  }

  #writable() {
    if (this.#over) throw stepIsOver();
    return this.tables;
  }
}
