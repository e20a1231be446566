/** A page of an endpoint's jobs, for `/requests`. */
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";

export interface JobListing {
  readonly limit: number;
  /** Only jobs in this status; absent: any. */
  readonly status?: JobStatus | undefined;
  /** Only jobs with a lower `seq`, which were submitted earlier; absent: begins with the newest job. */
  readonly beforeSeq?: number | undefined;
}
