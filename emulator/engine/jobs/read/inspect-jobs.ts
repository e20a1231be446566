/** Reads jobs of any endpoint with all their fields, for operators. */
import type { JobReport, ReportFilter } from "../../../core/jobs/job-report.ts";
import type { Job } from "../../../core/jobs/job.ts";
import type { ShownPayload } from "../../../core/jobs/opened-payload.ts";
import { ServiceError } from "../../../core/service-error.ts";
import type { StoreReads } from "../../../store/store.ts";
import { PayloadDamagedError } from "../../../store/payload.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { CatalogPort } from "../../resources/catalog-port.ts";
import { storedOutput, showBoth } from "./show-payload.ts";

/**
 * Failed jobs that were deleted and still have a report, newest deletion first.
 * @throws ServiceError endpoint_not_found, wrong_endpoint_type
 */
export async function deletedJobs(
  engine: StepPort & CatalogPort,
  filter: ReportFilter,
  limit: number,
): Promise<readonly JobReport[]> {
  if (filter.endpointId !== undefined) engine.directory.queue(filter.endpointId);
  return engine.steps.read((view) => view.reports.list(filter, limit));
}

/** A job, or the report about a deleted one. */
export interface InspectedJob {
  readonly job: Job;
  /** Undefined for a job that exists. */
  readonly deletedAt?: number;
  /** Raw JSON. Dispose of it if it is opened. */
  readonly input?: ShownPayload | undefined;
  /** The output: what the handler returned, or its last progress value while it runs. */
  readonly output?: ShownPayload | undefined;
}

/** With its payloads, unless `isBrief`. @throws ServiceError job_not_found */
export async function inspectJob(
  engine: StepPort,
  jobId: string,
  isBrief = false,
): Promise<InspectedJob> {
  return engine.steps.read(async (view) => {
    const job = await view.job(jobId);
    if (job === undefined) return reportOn(view, jobId);
    if (isBrief) return { job };
    const input = await view.payload(job.seq, "input");
    const output = await storedOutput(view, job);
    if (input !== undefined) return { job, ...(await showBoth(input, output)) };
    // Every job has an input; the job may have been deleted between two questions.
    if ((await view.job(jobId)) === undefined) return reportOn(view, jobId);
    throw new PayloadDamagedError({ seq: job.seq, slot: "input" }, "is missing from the database");
  });
}

async function reportOn(view: StoreReads, jobId: string): Promise<JobReport> {
  const report = await view.reports.byId(jobId);
  if (report !== undefined) return report;
  throw new ServiceError(
    "job_not_found",
    `there is no job "${jobId}"; it may have been deleted after its time to live or its retention`,
  );
}
