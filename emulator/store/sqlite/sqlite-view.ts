/** What can be asked of the database. */
import type { ChunkBatch, ChunkWindow } from "../../../runtime/protocol/chunk-batch.ts";
import type { JobCounts } from "../../core/job-counts.ts";
import type { JobListing } from "../../core/job-listing.ts";
import type { Job } from "../../core/job.ts";
import { selectChunks } from "../chunk-selection.ts";
import type { DeliveryView } from "../delivery-store.ts";
import { payloadInHand } from "../payload-in-hand.ts";
import type { PayloadSlot, RecordKind, Records, StoredPayload, StoreView } from "../store.ts";
import { wholeLines } from "./chunk-table.ts";
import type { FileHold } from "./payload-files.ts";
import type { Tables } from "./tables.ts";

export class SqliteView implements StoreView {
  protected readonly tables: Tables;
  /** The files that are held for the payloads that were asked for. */
  readonly #held: FileHold[] = [];

  constructor(tables: Tables) {
    this.tables = tables;
  }

  async job(id: string): Promise<Job | undefined> {
    return this.tables.jobs.byId(id);
  }

  async payload(seq: number, slot: PayloadSlot): Promise<StoredPayload | undefined> {
    const body = this.tables.payloads.get(seq, slot);
    if (typeof body !== "string") return body && payloadInHand(body);
    const { files } = this.tables;
    this.#held.push(files.hold(body));
    return files.payload(body);
  }

  async chunks(seq: number, window: ChunkWindow): Promise<readonly ChunkBatch[]> {
    const stored = this.tables.chunks.around(seq, window);
    const batches = stored.map(async ({ firstIndex, count, body }) => {
      const bytes = body instanceof Uint8Array ? body : await this.tables.files.readRange(body);
      return { firstIndex, count, lines: wholeLines(bytes) };
    });
    return selectChunks(await Promise.all(batches), window);
  }

  async counts(endpointId: string): Promise<JobCounts> {
    return this.tables.queues.counts(endpointId);
  }

  async listJobs(endpointId: string, listing: JobListing): Promise<readonly Job[]> {
    return this.tables.jobs.listed(endpointId, listing);
  }

  async oldestScalingQueuedAt(endpointId: string): Promise<number | undefined> {
    return this.tables.jobs.oldestScalingQueuedAt(endpointId);
  }

  async nextDueAt(): Promise<number | undefined> {
    return this.tables.jobs.nextDueAt();
  }

  async record<K extends RecordKind>(kind: K, id: string): Promise<Records[K] | undefined> {
    return this.tables.records.get(kind, id);
  }

  async records<K extends RecordKind>(kind: K): Promise<readonly Records[K][]> {
    return this.tables.records.list(kind);
  }

  get deliveries(): DeliveryView {
    const { deliveries } = this.tables;
    return {
      byId: async (id) => deliveries.byId(id),
      frame: async (seq) => deliveries.frame(seq),
      list: async (filter, limit, before) => deliveries.list(filter, limit, before),
      due: async (now, limit, exceptOrigins) => deliveries.due(now, limit, exceptOrigins),
      nextTryAt: async (after) => deliveries.nextTryAt(after),
      oldestSettledAt: async () => deliveries.oldestSettledAt(),
    };
  }

  /** The query or the step has settled: files of deleted jobs may go. */
  end(): void {
    for (const hold of this.#held.splice(0)) hold[Symbol.dispose]();
  }
}
