/** What can be asked of the database. */
import type { ChunkBatch, ChunkWindow } from "../../../runtime/protocol/chunk-batch.ts";
import type { JobCounts } from "../../core/jobs/job-counts.ts";
import type { JobListing } from "../../core/jobs/job-listing.ts";
import type { Job } from "../../core/jobs/job.ts";
import { selectChunks } from "../chunk-selection.ts";
import type { DeliveryView } from "../delivery-store.ts";
import { payloadInHand } from "../payload-in-hand.ts";
import {
  PayloadDamagedError,
  type PayloadPlace,
  type PayloadSlot,
  type RecordKind,
  type Records,
  type StoredPayload,
  type StoreView,
} from "../store.ts";
import { contentChecksum } from "./integrity/checksum.ts";
import { wholeLines } from "./tables/chunk-table.ts";
import type { FileHold } from "./files/payload-files.ts";
import type { StoredBody } from "./tables/payload-table.ts";
import type { Tables } from "./tables/tables.ts";

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
    const stored = this.tables.payloads.get(seq, slot);
    if (stored === undefined) return undefined;
    const { body, ...content } = stored;
    const place = { seq, slot };
    if (typeof body !== "string") return payloadInHand(checkedBytes(body, content, place));
    const { files } = this.tables;
    this.#held.push(files.hold(body));
    return files.payload({ ...content, name: body, offset: 0, place });
  }

  async chunks(seq: number, window: ChunkWindow): Promise<readonly ChunkBatch[]> {
    const stored = this.tables.chunks.around(seq, window);
    const place = { seq, slot: "chunks" } as const;
    const batches = stored.map(async ({ firstIndex, count, body, ...content }) => {
      const bytes =
        typeof body === "string"
          ? await this.tables.files.read({ ...content, name: body, place })
          : checkedBytes(body, content, place);
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

  async records<K extends RecordKind>(kind: K, from?: string): Promise<readonly Records[K][]> {
    return this.tables.records.list(kind, from);
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

/** @throws PayloadDamagedError when the bytes are not those that were stored */
function checkedBytes(
  bytes: Uint8Array,
  { sizeBytes, checksum }: Omit<StoredBody, "body">,
  place: PayloadPlace,
): Uint8Array {
  if (bytes.byteLength === sizeBytes && contentChecksum(bytes) === checksum) return bytes;
  throw new PayloadDamagedError(place, "is damaged: it does not fit its checksum", { checksum });
}
