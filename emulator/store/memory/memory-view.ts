/** What can be asked of the tables in memory. */
import type { ChunkBatch, ChunkWindow } from "../../../runtime/protocol/chunk-batch.ts";
import type { JobCounts } from "../../core/jobs/job-counts.ts";
import type { JobListing } from "../../core/jobs/job-listing.ts";
import type { Job } from "../../core/jobs/job.ts";
import { selectChunks } from "../chunk-selection.ts";
import { payloadInHand } from "../payload-in-hand.ts";
import type { PayloadSlot, RecordKind, Records, StoredPayload, StoreView } from "../store.ts";
import type { DeliveryView } from "../delivery-store.ts";
import { viewOfDeliveries } from "./memory-deliveries.ts";
import type { MemoryTables } from "./memory-tables.ts";

export class MemoryView implements StoreView {
  protected readonly tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.tables = tables;
  }

  async job(id: string): Promise<Job | undefined> {
    return this.tables.jobsById.get(id);
  }

  async payload(seq: number, slot: PayloadSlot): Promise<StoredPayload | undefined> {
    const bytes = this.tables.bodies.get(seq)?.slots.get(slot);
    return bytes && payloadInHand(bytes);
  }

  async chunks(seq: number, window: ChunkWindow): Promise<readonly ChunkBatch[]> {
    const stored = this.tables.bodies.get(seq)?.chunks ?? [];
    const first = stored.findLastIndex(({ firstIndex }) => firstIndex <= window.from);
    return selectChunks(stored.slice(Math.max(0, first)), window);
  }

  async counts(endpointId: string): Promise<JobCounts> {
    return this.tables.counts(endpointId);
  }

  async listJobs(endpointId: string, listing: JobListing): Promise<readonly Job[]> {
    const places = this.tables.indexes.of(endpointId)?.[listing.status ?? "all"];
    const seqs = places?.last(listing.limit, listing.beforeSeq) ?? [];
    return seqs.flatMap((seq) => this.tables.jobs.get(seq) ?? []);
  }

  async oldestScalingQueuedAt(endpointId: string): Promise<number | undefined> {
    return this.tables.indexes.of(endpointId)?.scaling.firstAt();
  }

  async nextDueAt(): Promise<number | undefined> {
    return this.tables.indexes.due.firstAt();
  }

  async record<K extends RecordKind>(kind: K, id: string): Promise<Records[K] | undefined> {
    return this.tables.records[kind].get(id);
  }

  get deliveries(): DeliveryView {
    return viewOfDeliveries(this.tables.deliveries);
  }

  async records<K extends RecordKind>(kind: K, from = ""): Promise<readonly Records[K][]> {
    const entries = [...this.tables.records[kind]].filter(([id]) => compareUtf8(id, from) >= 0);
    return entries.toSorted(([a], [b]) => compareUtf8(a, b)).map(([, record]) => record);
  }
}

/** The order a database has for texts, which for rare characters is not that of JavaScript. */
function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
