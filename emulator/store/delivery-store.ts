/** The part of the store port that keeps webhook deliveries; the payloads they share with jobs are stored with the jobs'. */
import type { Delivery, DeliveryFilter, KeptDeliveries } from "../core/webhooks/delivery.ts";
import type { JobFrame } from "../core/jobs/job-body.ts";

export interface DeliveryView {
  byId(id: string): Promise<Delivery | undefined>;
  /** The texts that stand around the payloads in the body. */
  frame(seq: number): Promise<JobFrame | undefined>;
  /** Newest first; with `before` only those older than the one with that `seq`. */
  list(filter: DeliveryFilter, limit: number, before?: number): Promise<readonly Delivery[]>;
  /** Those with `nextTryAt` ≤ now, the longest due first; none to one of the origins. */
  due(now: number, limit: number, exceptOrigins: readonly string[]): Promise<readonly Delivery[]>;
  /** The earliest `nextTryAt` that is later than `after`. */
  nextTryAt(after: number): Promise<number | undefined>;
  /** When the longest settled one was settled. */
  oldestSettledAt(): Promise<number | undefined>;
}

export interface DeliveryTransaction extends DeliveryView {
  insert(delivery: Delivery, frame: JobFrame): Promise<void>;
  /** Replaces the stored one with the same `seq`. */
  replace(delivery: Delivery): Promise<void>;
  /** The oldest of a job that is pending. */
  firstPending(jobId: string): Promise<Delivery | undefined>;
  /** Deletes settled ones with their payloads, the oldest first, until the rest is within the bounds. */
  prune(kept: KeptDeliveries): Promise<void>;
}
