/** One job in memory, and the batches that change it. */
import type { Job } from "../../../core/jobs/job.ts";
import type { JobPayloads } from "../effects.ts";
import type { EndpointJobs } from "./endpoint-jobs.ts";

export interface HeldJob {
  readonly endpoint: EndpointJobs;
  /** Undefined for a deleted job. */
  readonly job: Job | undefined;
  /** The row as the newest batch that changes it stores it. */
  readonly row: Job | undefined;
  /** The number of the newest batch that changes the row; 0: unchanged since it was read. */
  readonly batch: number;
  /** The number of the batch with its last hand-over; 0: it was handed over before it was read, or never. */
  readonly handedOverBy: number;
  /** The payloads for its hand-over, if they are kept. */
  readonly input?: JobPayloads | undefined;
}

export function asRead(endpoint: EndpointJobs, row: Job): HeldJob {
  return { endpoint, job: row, row, batch: 0, handedOverBy: 0 };
}

export function bytesOf({ input, s3Config }: Partial<JobPayloads> = {}): number {
  return (input?.byteLength ?? 0) + (s3Config?.byteLength ?? 0);
}
