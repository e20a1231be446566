/** All operations of workers of the live dialect: the index of this folder. */
import type { Operation } from "../operation/operation.ts";
import { ping } from "./ping.ts";
import { reportJob } from "./report-job.ts";
import { stopJobs } from "./stop-jobs.ts";
import { streamJob } from "./stream-job.ts";
import { takeJob, takeJobs } from "./take-jobs.ts";

/** The operations by name. The OpenAPI documents do not show them. */
export const LIVE_WORKER_OPERATIONS = {
  takeJob,
  takeJobs,
  stopJobs,
  reportJob,
  streamJob,
  ping,
} satisfies Readonly<Record<string, Operation<never>>>;
