/** One page of an endpoint's jobs, as `/requests` asks for it. */
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";

export interface JobListing {
  /** Most jobs on the page. */
  readonly limit: number;
  /** Only jobs in this status; absent means any. */
  readonly status?: JobStatus | undefined;
  /** Only jobs whose `seq` is lower, which were submitted earlier; absent begins with the newest. */
  readonly beforeSeq?: number | undefined;
}
