/** A batch: all that changes at once in the store, as data. */
import type { JobCounts } from "../core/jobs/job-counts.ts";
import type { JobFrame } from "../core/jobs/job-body.ts";
import type { JobReport, KeptReports } from "../core/jobs/job-report.ts";
import type { Job } from "../core/jobs/job.ts";
import type { Delivery, KeptDeliveries } from "../core/webhooks/delivery.ts";
import type { Payload, PayloadSlot, StagedBatch } from "./payload.ts";
import type { RecordKind, Records } from "./records.ts";

export interface Batch {
  /** One more than that of the batch before. */
  readonly number: number;
  /** No key above this one has been given to a job, a place in the queue or a delivery. */
  readonly lastSeq: number;
  /** Rows of jobs, each as it becomes, with what is stored of it now. Written before the changes. */
  readonly jobs: readonly JobRow[];
  /** In the order in which they are to be made. */
  readonly changes: readonly Change[];
  /** The counters of the endpoints whose jobs changed, as they become. */
  readonly counts: ReadonlyMap<string, JobCounts>;
  /**
   * The version of the records that its changes of records rest on, which is one higher once it is stored; undefined if it has
   * none, but for those of use, or if nobody else could change them.
   */
  readonly recordsVersion?: number;
}

export interface JobRow {
  /** Undefined: there is none. */
  readonly before: Job | undefined;
  readonly after: Job;
}

/** Where payloads and chunks lie: the job or the delivery that has them, and its endpoint. */
export interface Place {
  readonly seq: number;
  readonly endpointId: string;
}

export type Change =
  /** Deletes the job with its payloads and chunks. */
  | { readonly type: "delete-job"; readonly job: Job }
  /** Stores the payload in place of the one there, if any. A file can be stored once only. */
  | (Place & {
      readonly type: "put-payload";
      readonly slot: PayloadSlot;
      readonly payload: Payload;
    })
  | (Place & { readonly type: "remove-payload"; readonly slot: PayloadSlot })
  /** Stores the payload, if there is one, under `toSeq` as well, where it stays whatever becomes of the first. */
  | (Place & {
      readonly type: "share-payload";
      readonly slot: PayloadSlot;
      readonly toSeq: number;
    })
  /** `firstIndex` is the number of chunks already there. */
  | (Place & { readonly type: "append-chunks"; readonly batch: StagedBatch })
  | (Place & { readonly type: "remove-chunks" })
  | {
      readonly type: "put-record";
      readonly kind: RecordKind;
      readonly id: string;
      readonly record: Records[RecordKind];
    }
  | { readonly type: "delete-record"; readonly kind: RecordKind; readonly id: string }
  /** Its size is that of its frame and of the payloads under its seq. */
  | {
      readonly type: "insert-delivery";
      readonly delivery: Omit<Delivery, "sizeBytes">;
      readonly frame: JobFrame;
    }
  | { readonly type: "replace-delivery"; readonly delivery: Delivery }
  /** Deletes settled deliveries with their payloads, the oldest first, until the rest is within the bounds. */
  | { readonly type: "prune-deliveries"; readonly kept: KeptDeliveries }
  | { readonly type: "put-report"; readonly report: JobReport }
  /** Deletes the reports on jobs of the endpoint. */
  | { readonly type: "remove-reports"; readonly endpointId: string }
  /** Deletes reports, the oldest first, until the rest is within the bounds. */
  | { readonly type: "prune-reports"; readonly kept: KeptReports };

/** Those about deliveries and reports. */
export type RareChange = Extract<
  Change,
  { readonly type: `${string}-${"delivery" | "deliveries" | "report" | "reports"}` }
>;
