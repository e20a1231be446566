/** Answers questions from outside a transaction: waits for the batch that runs, so that only committed state is seen. */
import type { ChunkBatch, ChunkWindow } from "../../runtime/protocol/chunk-batch.ts";
import type { JobCounts } from "../core/jobs/job-counts.ts";
import type { Delivery, DeliveryFilter } from "../core/webhooks/delivery.ts";
import type { JobFrame } from "../core/jobs/job-body.ts";
import type { JobListing } from "../core/jobs/job-listing.ts";
import type { Job } from "../core/jobs/job.ts";
import type { DeliveryView } from "./delivery-store.ts";
import { storeClosed, type StepQueue } from "./step-queue.ts";
import type { PayloadSlot, RecordKind, Records, StoredPayload, StoreView } from "./store.ts";

export class CommittedView<Tx> implements StoreView {
  readonly deliveries: DeliveryView = new CommittedDeliveries(() => this.#committed());
  readonly #view: StoreView;
  readonly #queue: StepQueue<Tx>;

  constructor(view: StoreView, queue: StepQueue<Tx>) {
    this.#view = view;
    this.#queue = queue;
  }

  async job(id: string): Promise<Job | undefined> {
    return (await this.#committed()).job(id);
  }

  async payload(seq: number, slot: PayloadSlot): Promise<StoredPayload | undefined> {
    return (await this.#committed()).payload(seq, slot);
  }

  async chunks(seq: number, window: ChunkWindow): Promise<readonly ChunkBatch[]> {
    return (await this.#committed()).chunks(seq, window);
  }

  async counts(endpointId: string): Promise<JobCounts> {
    return (await this.#committed()).counts(endpointId);
  }

  async listJobs(endpointId: string, listing: JobListing): Promise<readonly Job[]> {
    return (await this.#committed()).listJobs(endpointId, listing);
  }

  async oldestScalingQueuedAt(endpointId: string): Promise<number | undefined> {
    return (await this.#committed()).oldestScalingQueuedAt(endpointId);
  }

  async nextDueAt(): Promise<number | undefined> {
    return (await this.#committed()).nextDueAt();
  }

  async record<K extends RecordKind>(kind: K, id: string): Promise<Records[K] | undefined> {
    return (await this.#committed()).record(kind, id);
  }

  async records<K extends RecordKind>(kind: K, from?: string): Promise<readonly Records[K][]> {
    return (await this.#committed()).records(kind, from);
  }

  async #committed(): Promise<StoreView> {
    while (this.#queue.running !== undefined) await this.#queue.running;
    if (this.#queue.closed) throw storeClosed();
    return this.#view;
  }
}

class CommittedDeliveries implements DeliveryView {
  readonly #committed: () => Promise<StoreView>;

  constructor(committed: () => Promise<StoreView>) {
    this.#committed = committed;
  }

  async byId(id: string): Promise<Delivery | undefined> {
    return (await this.#committed()).deliveries.byId(id);
  }

  async frame(seq: number): Promise<JobFrame | undefined> {
    return (await this.#committed()).deliveries.frame(seq);
  }

  async list(filter: DeliveryFilter, limit: number, before?: number): Promise<readonly Delivery[]> {
    return (await this.#committed()).deliveries.list(filter, limit, before);
  }

  async due(
    now: number,
    limit: number,
    exceptOrigins: readonly string[],
  ): Promise<readonly Delivery[]> {
    return (await this.#committed()).deliveries.due(now, limit, exceptOrigins);
  }

  async nextTryAt(after: number): Promise<number | undefined> {
    return (await this.#committed()).deliveries.nextTryAt(after);
  }

  async oldestSettledAt(): Promise<number | undefined> {
    return (await this.#committed()).deliveries.oldestSettledAt();
  }
}
