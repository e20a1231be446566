/** A batch describes changes of the store that are stored together or not at all. */
import type { JobCounts } from "../core/jobs/job-counts.ts";
import type { JobFrame } from "../core/jobs/job-body.ts";
import type { JobReport, KeptReports } from "../core/jobs/job-report.ts";
import type { Job } from "../core/jobs/job.ts";
import type { Delivery, KeptDeliveries } from "../core/webhooks/delivery.ts";
import type { Payload, PayloadSlot, StagedBatch } from "./payload.ts";
import type { RecordKind, Records } from "./records.ts";

export interface Batch {
  /** One more than the number of the previous batch. */
  readonly number: number;
  /** Highest key assigned to a job, a place in the queue or a delivery. */
  readonly lastSeq: number;
  /** New rows of jobs, each with the stored row. They are written before the changes. */
  readonly jobs: readonly JobRow[];
  /** Changes, in the order in which the store makes them. */
  readonly changes: readonly Change[];
  /** New counters of the endpoints with changed jobs. */
  readonly counts: ReadonlyMap<string, JobCounts>;
  /**
   * Version of the records that the batch is based on. The batch increases it by one. Undefined if the batch changes no records
   * other than usage, or if no other replica can change them.
   */
  readonly recordsVersion?: number;
}

export interface JobRow {
  /** Undefined for a new job. */
  readonly before: Job | undefined;
  readonly after: Job;
}

/** The job or delivery that has a payload or chunks, and its endpoint. */
export interface Place {
  readonly seq: number;
  readonly endpointId: string;
}

export type Change =
  /** Deletes the job with its payloads and chunks. */
  | { readonly type: "delete-job"; readonly job: Job }
  /** Stores the payload, and replaces a stored one. A file can be stored only once. */
  | (Place & {
      readonly type: "put-payload";
      readonly slot: PayloadSlot;
      readonly payload: Payload;
    })
  | (Place & { readonly type: "remove-payload"; readonly slot: PayloadSlot })
  /** Stores the payload, if there is one, under `toSeq` too. That copy outlives the first. */
  | (Place & {
      readonly type: "share-payload";
      readonly slot: PayloadSlot;
      readonly toSeq: number;
    })
  /** `firstIndex` is the number of stored chunks. */
  | (Place & { readonly type: "append-chunks"; readonly batch: StagedBatch })
  | (Place & { readonly type: "remove-chunks" })
  | {
      readonly type: "put-record";
      readonly kind: RecordKind;
      readonly id: string;
      readonly record: Records[RecordKind];
    }
  | { readonly type: "delete-record"; readonly kind: RecordKind; readonly id: string }
  /** The size of the delivery is the size of its frame and of the payloads under its seq. */
  | {
      readonly type: "insert-delivery";
      readonly delivery: Omit<Delivery, "sizeBytes">;
      readonly frame: JobFrame;
    }
  | { readonly type: "replace-delivery"; readonly delivery: Delivery }
  /** Deletes the oldest settled deliveries with their payloads until the rest is within the bounds. */
  | { readonly type: "prune-deliveries"; readonly kept: KeptDeliveries }
  | { readonly type: "put-report"; readonly report: JobReport }
  | { readonly type: "remove-reports"; readonly endpointId: string }
  /** Deletes the oldest reports until the rest is within the bounds. */
  | { readonly type: "prune-reports"; readonly kept: KeptReports };

/** Changes of deliveries and reports. */
export type RareChange = Extract<
  Change,
  { readonly type: `${string}-${"delivery" | "deliveries" | "report" | "reports"}` }
>;
